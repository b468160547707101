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

    package init(
        bytes: [UInt8], failure: ContentCodingError? = nil, remark: CodingRemark? = nil,
        removed: [Coding] = []
    ) {
        self.bytes = bytes
        self.failure = failure
        self.remark = remark
        self.removed = removed
    }
}
