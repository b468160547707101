/// What decoding gave: the octets, and what went wrong after them, if anything did.
public struct DecodedContent: Sendable, Hashable {
    /// The decoded octets, up to the point of failure.
    public let octets: [UInt8]
    /// Why `octets` is not everything; nil when it is.
    public let failure: ContentCodingError?

    package init(octets: [UInt8], failure: ContentCodingError?) {
        self.octets = octets
        self.failure = failure
    }
}
