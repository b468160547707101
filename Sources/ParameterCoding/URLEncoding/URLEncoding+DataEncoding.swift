extension URLEncoding {
    /// How binary data is converted to text.
    public enum DataEncoding: Sendable {
        /// Base64 with padding (RFC 4648 §4).
        case base64
        /// An array of the bytes as numbers, as `Data` encodes itself.
        case deferredToData
        /// The text that the closure returns; the encoder rethrows its errors.
        case custom(@Sendable (_ bytes: [UInt8]) throws -> String)
    }
}
