internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The kept-alive connections of one key that wait for work. Confined to the pool's loop.
final class IdleConnections {
    let key: ConnectionKey
    /// Those that belong with no client connection, the newest last.
    var free: [HTTP1Connection] = []
    /// Those that belong with the client connection they served last.
    var kept = PlacedList<HTTP1Connection>()
    /// Whether the pool finds it by its key; where not, the key has another one or none.
    var isListed = true

    init(key: ConnectionKey) { self.key = key }

    var isEmpty: Bool { free.isEmpty && kept.isEmpty }
    var all: [HTTP1Connection] { free + kept.all }

    /// One that may carry any request; those that nobody is likely to want soon go first.
    var newest: HTTP1Connection? { free.last ?? kept.last }

    /// One that has served a client connection before, and nobody else since.
    func newest(lastUsedBy client: ConnectionID) -> HTTP1Connection? {
        free.last { $0.lastClient == client }
    }
}
