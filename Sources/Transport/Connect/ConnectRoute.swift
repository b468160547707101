public import ProxydEventLoops

/// A route to a server other than the one that its name resolves to. Connections made by different
/// routes are not interchangeable: an exchange only uses connections of its own route.
public struct ConnectRoute: Sendable, Hashable {
    /// The address to connect to instead of those that the name resolves to. Host, SNI and
    /// certificate remain those of the target.
    public var address: SocketAddress

    /// Creates a route over an address.
    public init(address: SocketAddress) { self.address = address }
}
