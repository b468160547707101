/// How long the steps of making a connection may take, within the overall deadline.
public struct ConnectLimits: Sendable, Hashable {
    /// The name lookup, in nanoseconds.
    public var lookupNs: Int64 = 5_000_000_000
    /// The TLS handshake, in nanoseconds.
    public var handshakeNs: Int64 = 10_000_000_000

    /// Creates limits with the default values.
    public init() {}
}
