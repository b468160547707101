/// How long the steps of making a connection may take, within the deadline of the whole.
public struct ConnectLimits: Sendable, Hashable {
    /// The look-up of a name, nanoseconds.
    public var lookupNs: Int64 = 5_000_000_000
    /// The TLS handshake, nanoseconds.
    public var handshakeNs: Int64 = 10_000_000_000

    /// The defaults.
    public init() {}
}
