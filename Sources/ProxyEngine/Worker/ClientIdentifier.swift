public import ProxydEventLoops
public import ProxydHTTPModel

/// Finds out which local program opened a connection, off the event loop.
public protocol ClientIdentifier: AnyObject, Sendable {
    /// Looks up the program behind a client's address and calls back on any thread; nil where it
    /// cannot be known.
    func identify(
        client: SocketAddress, proxy: SocketAddress,
        completion: @escaping @Sendable (ConnectionRecord.ClientProcess?) -> Void)
}
