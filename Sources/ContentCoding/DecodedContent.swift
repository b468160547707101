/// The result of decoding: the bytes, and the error that ended decoding, if any.
public struct DecodedContent: Sendable, Hashable {
    /// The decoded bytes, up to the point of failure.
    public let octets: [UInt8]
    /// Why `octets` is not everything; nil when it is.
    public let failure: ContentCodingError?

    package init(octets: [UInt8], failure: ContentCodingError?) {
        self.octets = octets
        self.failure = failure
    }
}
