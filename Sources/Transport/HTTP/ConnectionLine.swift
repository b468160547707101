internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The connections of one key that can take an exchange. Confined to the pool's loop.
final class ConnectionLine {
    let key: ConnectionKey
    /// Idle connections that are not reserved for a client connection, the newest last.
    var free: [PooledConnection] = []
    /// Idle connections reserved for the client connection that they served last.
    var kept = IndexedSet<PooledConnection>()
    /// Busy connections with room, the one that got room last at the end.
    var roomy: [PooledConnection] = []
    /// Whether the pool has it listed under its key; otherwise the key has another line or none.
    var isListed = true

    init(key: ConnectionKey) { self.key = key }

    var isEmpty: Bool { free.isEmpty && kept.isEmpty && roomy.isEmpty }
    var idle: [PooledConnection] { free + kept.all }

    /// An idle connection that may carry any request, preferably one that is not reserved for a
    /// client.
    var newest: PooledConnection? { free.last ?? kept.last }

    /// An idle connection that has last served this client connection, or a new HTTP/2 connection
    /// that has not served any.
    func newest(lastUsedBy client: ConnectionID) -> PooledConnection? {
        free.last { $0.lastClient == client || ($0.tellsWhatItTook && $0.isUnused) }
    }
}
