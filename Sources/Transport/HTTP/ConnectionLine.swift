internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The connections of one key that can take an exchange. Confined to the pool's loop.
final class ConnectionLine {
    let key: ConnectionKey
    /// Idle ones that belong with no client connection, the newest last.
    var free: [PooledConnection] = []
    /// Idle ones that belong with the client connection they served last.
    var kept = IndexedSet<PooledConnection>()
    /// Busy ones with room, the one that got it last behind the others.
    var roomy: [PooledConnection] = []
    /// Whether the pool finds it by its key; where not, the key has another one or none.
    var isListed = true

    init(key: ConnectionKey) { self.key = key }

    var isEmpty: Bool { free.isEmpty && kept.isEmpty && roomy.isEmpty }
    var idle: [PooledConnection] { free + kept.all }

    /// An idle one that may carry any request; those that no one is likely to want soon go first.
    var newest: PooledConnection? { free.last ?? kept.last }

    /// An idle one that has served a client connection before, and no one else since; or a new one
    /// of HTTP/2 that has served no one.
    func newest(lastUsedBy client: ConnectionID) -> PooledConnection? {
        free.last { $0.lastClient == client || ($0.tellsWhatItTook && $0.isUnused) }
    }
}
