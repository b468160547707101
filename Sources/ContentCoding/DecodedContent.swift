/// The result of decoding: the bytes, and the error that ended decoding, if any.
public struct DecodedContent: Sendable, Hashable {
    /// The decoded bytes, up to the point of failure.
    public let bytes: [UInt8]
    /// Why `bytes` is not everything; nil when it is.
    public let failure: ContentCodingError?

    package init(bytes: [UInt8], failure: ContentCodingError?) {
        self.bytes = bytes
        self.failure = failure
    }
}
