/// How long a closed connection keeps reading what its peer still sends, so that the peer, which
/// may write everything before it reads, gets our last bytes and no reset (RFC 9112 §9.6).
public struct LingerLimits: Sendable, Hashable {
    /// In total, in nanoseconds. Any amount of bytes that arrives in this time is dropped.
    public var totalNs: Int64 = 30_000_000_000
    /// Without a byte from the peer, in nanoseconds.
    public var silenceNs: Int64 = 5_000_000_000
    /// The maximum number of lingering connections per loop; one more closes the oldest one, and an
    /// accepted connection only if no outgoing one lingers.
    public var connectionCountMax = 128

    /// Creates limits with the default values, which docs/DEFAULTS.md explains.
    public init() {}
}
