/// The result of decoding: the bytes, and the error that ended decoding, if any.
public struct DecodedContent: Sendable, Hashable {
    /// The decoded bytes, up to the point of failure.
    public let bytes: [UInt8]
    /// Why `bytes` is not everything; nil when it is.
    public let failure: ContentCodingError?
    /// Why a layer was left as it is; nil if none was.
    public let remark: CodingRemark?
    /// The codings that were removed, in the order they were applied.
    public let removed: [Coding]
    /// Whether the coded bytes contain what the decoded ones do not; see `ContentDecoder`.
    public let hasUnusedInput: Bool

    package init(
        bytes: [UInt8], failure: ContentCodingError? = nil, remark: CodingRemark? = nil,
        removed: [Coding] = [], hasUnusedInput: Bool = false
    ) {
        self.bytes = bytes
        self.failure = failure
        self.remark = remark
        self.removed = removed
        self.hasUnusedInput = hasUnusedInput
    }
}
