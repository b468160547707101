extension URLEncoding {
    /// How octets become text.
    public enum DataEncoding: Sendable {
        /// Base64 with padding (RFC 4648 §4).
        case base64
        /// An array of the octets as numbers, as `Data` encodes itself.
        case deferredToData
        /// The text given; what is thrown leaves the encoder as it is.
        case custom(@Sendable (_ octets: [UInt8]) throws -> String)
    }
}
