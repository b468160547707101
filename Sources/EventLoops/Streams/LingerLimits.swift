/// How long a closed connection goes on taking what its peer still sends, so that the peer, which
/// may write all it has before it reads, gets our last words and no reset (RFC 9112 §9.6).
public struct LingerLimits: Sendable, Hashable {
    /// In all, in nanoseconds. What comes meanwhile is thrown away, however much it is.
    public var totalNs: Int64 = 30_000_000_000
    /// Without a byte from the peer, in nanoseconds.
    public var silenceNs: Int64 = 5_000_000_000
    /// Connections of one loop that linger; for one more the oldest is closed, and one that was
    /// accepted only where none lingers that we opened.
    public var connectionCountMax = 128

    /// The defaults, which docs/DEFAULTS.md explains.
    public init() {}
}
