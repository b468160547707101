public import ProxydEventLoops

/// Another way to a server than the one its name leads to. Connections made by different routes are
/// different connections: none serves the other's exchanges.
public struct ConnectRoute: Sendable, Hashable {
    /// The address to connect to in the place of those that the name resolves to. Host, SNI and
    /// certificate stay the target's.
    public var address: SocketAddress

    /// The route over an address.
    public init(address: SocketAddress) { self.address = address }
}
