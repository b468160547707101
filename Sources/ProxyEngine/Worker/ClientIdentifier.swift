public import ProxydEventLoops
public import ProxydHTTPModel

/// Finds out which local program opened a connection, off the event loop.
public protocol ClientIdentifier: AnyObject, Sendable {
    /// Looks up the program that owns a client's address; calls back on any thread, with nil if it
    /// cannot be found.
    func identify(
        client: SocketAddress, proxy: SocketAddress,
        completion: @escaping @Sendable (ConnectionRecord.ClientProcess?) -> Void)
}
