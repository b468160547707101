/// Bounds against decompression bombs: 405 octets of brotli can become 256 MiB.
public struct DecodingLimits: Sendable, Hashable {
    /// The most octets ever decoded from one content.
    public var decodedByteCountMax: Int
    /// Octets allowed for each octet of input, on top of `slackByteCount`.
    public var ratioMax: Int
    /// Octets allowed whatever the input's size.
    public var slackByteCount: Int
    /// The most codings on top of each other.
    public var layerCountMax: Int

    /// 64 MiB, 1,000 for one, 1 MiB of slack and 3 layers, unless told otherwise.
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

    /// The most octets that may come out of `inputByteCount` octets.
    func allowance(inputByteCount: Int) -> Int {
        let scaled = inputByteCount.multipliedReportingOverflow(by: ratioMax)
        guard !scaled.overflow else { return decodedByteCountMax }
        let sum = scaled.partialValue.addingReportingOverflow(slackByteCount)
        return sum.overflow ? decodedByteCountMax : min(decodedByteCountMax, sum.partialValue)
    }
}
