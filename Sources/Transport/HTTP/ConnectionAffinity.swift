public import ProxydHTTPModel

/// Which server connections belong with one client connection; confined to its loop.
///
/// The one that served it last is kept for it while others can be had: a request that may not be
/// repeated goes over that one, or over a new one. Those on which the client authenticates the
/// connection itself are bound to it: no one else's requests go over them, and each side closes
/// with the other.
public final class ConnectionAffinity {
    /// Servers that may have connections bound to one client connection; with one more it ends.
    static let boundCountMax = 8

    /// The client connection's number.
    let client: ConnectionID
    /// The connection that served it last, or serves it now.
    var latest: PooledConnection?
    /// The servers to which it has a connection of its own, or is about to have.
    private(set) var boundTargets: [ConnectTarget] = []
    /// Whether a connection that was bound to it is gone.
    private(set) var hasLostBound = false
    /// Whether the client connection is gone.
    private(set) var isReleased = false
    /// Told that a server connection bound to the client's is gone, so that the client's must end,
    /// too: at once where it is idle, else after its present response.
    public var onBoundLost: (() -> Void)?

    /// What belongs with the client connection of a number: nothing yet.
    public init(client: ConnectionID) { self.client = client }

    /// From now on this client's requests to a target go over a connection of their own.
    public func bind(to target: ConnectTarget) {
        guard !boundTargets.contains(target) else { return }
        boundTargets.append(target)
        if boundTargets.count > ConnectionAffinity.boundCountMax { onBoundLost?() }
    }

    /// What finds the connections over which its requests to a target may go.
    func key(for target: ConnectTarget) -> ConnectionKey {
        let isBound = !boundTargets.isEmpty && boundTargets.contains(target)
        return ConnectionKey(target: target, owner: isBound ? .client(client) : .shared)
    }

    /// A connection that belonged with it is gone.
    func lost(_ connection: PooledConnection) {
        if latest === connection { latest = nil }
        guard connection.isBound else { return }
        hasLostBound = true
        onBoundLost?()
    }

    /// The client connection is gone.
    func release() {
        isReleased = true
        onBoundLost = nil
        latest = nil
    }
}
