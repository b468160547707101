/// Limits for recording messages, in bytes.
public struct MessageLimits: Sendable, Hashable {
    /// The maximum number of bytes kept of one message; the rest is only counted.
    public var keptByteCountMax: Int
    /// The maximum decompressed size of one message; the rest is ignored.
    public var inflatedByteCountMax: Int
    /// The maximum compression ratio once a message is larger than 1 MiB.
    public var inflationRatioMax: Int

    /// Creates limits; the defaults are 1 MiB, 64 MiB and a ratio of 200.
    public init(
        keptByteCountMax: Int = 1 << 20, inflatedByteCountMax: Int = 64 << 20,
        inflationRatioMax: Int = 200
    ) {
        self.keptByteCountMax = keptByteCountMax
        self.inflatedByteCountMax = inflatedByteCountMax
        self.inflationRatioMax = inflationRatioMax
    }
}
