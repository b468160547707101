/// The text of octets, and how it was found.
public struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    public let text: String
    /// The charset that was used.
    public let charset: Charset
    /// Whether octets that the charset does not have became U+FFFD: the text does not stand for
    /// all octets.
    public let isLossy: Bool

    /// A text found with a charset.
    public init(text: String, charset: Charset, isLossy: Bool) {
        self.text = text
        self.charset = charset
        self.isLossy = isLossy
    }
}
