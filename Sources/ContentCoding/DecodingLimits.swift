/// Limits against decompression bombs: 405 bytes of brotli can expand to 256 MiB.
public struct DecodingLimits: Sendable, Hashable {
    /// The maximum number of bytes decoded from one content.
    public var decodedByteCountMax: Int
    /// The output bytes allowed per input byte, in addition to `slackByteCount`.
    public var ratioMax: Int
    /// The output bytes allowed regardless of the input's size.
    public var slackByteCount: Int
    /// The maximum number of nested codings.
    public var layerCountMax: Int

    /// Defaults to 64 MiB, a ratio of 1,000, 1 MiB of slack and 3 layers.
    public init(
        decodedByteCountMax: Int = 64 << 20,
        ratioMax: Int = 1_000,
        slackByteCount: Int = 1 << 20,
        layerCountMax: Int = 3
    ) {
        self.decodedByteCountMax = decodedByteCountMax
        self.ratioMax = ratioMax
        self.slackByteCount = slackByteCount
        self.layerCountMax = layerCountMax
    }

    /// The maximum output for `inputByteCount` input bytes.
    func allowance(inputByteCount: Int) -> Int {
        let scaled = inputByteCount.multipliedReportingOverflow(by: ratioMax)
        guard !scaled.overflow else { return decodedByteCountMax }
        let sum = scaled.partialValue.addingReportingOverflow(slackByteCount)
        return sum.overflow ? decodedByteCountMax : min(decodedByteCountMax, sum.partialValue)
    }
}
