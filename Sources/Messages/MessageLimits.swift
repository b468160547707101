/// What is kept of messages, in bytes.
public struct MessageLimits: Sendable, Hashable {
    /// The most that is kept of one message; the rest is counted.
    public var keptByteCountMax: Int
    /// The most that one message is decompressed to; the rest is not looked at.
    public var inflatedByteCountMax: Int
    /// Bytes that one byte may be decompressed to, once the message is larger than 1 MiB.
    public var inflationRatioMax: Int

    /// 1 MiB, 64 MiB and 200, unless told otherwise.
    public init(
        keptByteCountMax: Int = 1 << 20, inflatedByteCountMax: Int = 64 << 20,
        inflationRatioMax: Int = 200
    ) {
        self.keptByteCountMax = keptByteCountMax
        self.inflatedByteCountMax = inflatedByteCountMax
        self.inflationRatioMax = inflationRatioMax
    }
}
