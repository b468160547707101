/// Decoded text, and how it was decoded.
public struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    public let text: String
    /// The charset that was used.
    public let charset: Charset
    /// Whether invalid bytes were replaced by U+FFFD, so that the text does not represent all
    /// bytes.
    public let isLossy: Bool

    /// Creates a text with the charset that was used to decode it.
    public init(text: String, charset: Charset, isLossy: Bool) {
        self.text = text
        self.charset = charset
        self.isLossy = isLossy
    }
}

/// A character of a text that its charset lacks.
public struct UnencodableCharacter: Error, Hashable, CustomStringConvertible {
    /// The first character that cannot be encoded.
    public let character: Unicode.Scalar
    /// The charset that lacks it.
    public let charset: Charset

    /// A sentence for people, as “Shift_JIS has no U+1F600”.
    public var description: String {
        let code = String(character.value, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(0, 4 - code.count))
        return "\(charset.rawValue) has no U+\(zeros)\(code)"
    }
}
