public import ProxydHTTPModel

/// The server connections reserved for one client connection; confined to its loop.
///
/// The connection that served the client last is kept for it while others are available: a request
/// that must not be repeated uses that connection or a new one. Connections on which the client has
/// authenticated the connection itself are bound to it: they carry no other client's requests, and
/// each side closes when the other does.
public final class ConnectionAffinity {
    /// The maximum number of servers with bound connections; one more ends the client connection.
    static let boundCountMax = 8

    /// The identifier of the client connection.
    let client: ConnectionID
    /// The server connection that served it last, or serves it now.
    var latest: PooledConnection?
    /// The servers to which it has, or will have, a bound connection.
    private(set) var boundTargets: [ConnectTarget] = []
    /// Whether a connection that was bound to it has closed.
    private(set) var hasLostBound = false
    /// Whether the client connection has closed.
    private(set) var isReleased = false
    /// Called when a bound server connection has closed, so that the client's must end too:
    /// immediately if it is idle, otherwise after the current response.
    public var onBoundLost: (() -> Void)?

    /// Creates the affinity of a client connection, without any server connection.
    public init(client: ConnectionID) { self.client = client }

    /// From now on, this client's requests to a target use connections bound to the client.
    public func bind(to target: ConnectTarget) {
        guard !boundTargets.contains(target) else { return }
        boundTargets.append(target)
        if boundTargets.count > ConnectionAffinity.boundCountMax { onBoundLost?() }
    }

    /// The key of the connections that its requests to a target may use.
    func key(for target: ConnectTarget) -> ConnectionKey {
        let isBound = !boundTargets.isEmpty && boundTargets.contains(target)
        return ConnectionKey(target: target, owner: isBound ? .client(client) : .shared)
    }

    /// A reserved server connection has closed.
    func lost(_ connection: PooledConnection) {
        if latest === connection { latest = nil }
        guard connection.isBound else { return }
        hasLostBound = true
        onBoundLost?()
    }

    /// The client connection has closed.
    func release() {
        isReleased = true
        onBoundLost = nil
        latest = nil
    }
}
