/// Decodes bytes in a charset with the given label, or returns nil if it cannot.
///
/// This module supports UTF-8 and Latin-1 only; callers that support more charsets pass a decoder.
public typealias CharsetDecoder = @Sendable (_ bytes: [UInt8], _ label: String) -> String?

/// Converts bytes to text: as UTF-8 if they are valid, else in the declared charset, else with each
/// byte as its Latin-1 character. It always returns a text and never traps.
public struct ByteText: Sendable {
    /// The label of the charset that was declared for the bytes.
    public let declaredCharset: String?
    /// Decodes charsets that this module does not support.
    public let charsetDecoder: CharsetDecoder?

    /// Creates a converter for bytes with this declared charset, or with none.
    public init(declaredCharset: String? = nil, charsetDecoder: CharsetDecoder? = nil) {
        self.declaredCharset = declaredCharset
        self.charsetDecoder = charsetDecoder
    }

    /// Decodes bytes as text.
    public func text(_ bytes: Span<UInt8>) -> String { reading(bytes).text }

    /// Decodes bytes as text, and reports how.
    public func reading(_ bytes: Span<UInt8>) -> (text: String, origin: TextOrigin) {
        if let span = try? UTF8Span(validating: bytes) { return (String(copying: span), .utf8) }
        return legacyReading(bytes)
    }

    private func legacyReading(_ bytes: Span<UInt8>) -> (text: String, origin: TextOrigin) {
        if let declaredCharset, let charsetDecoder {
            let owned = bytes.withUnsafeBufferPointer { Array($0) }
            if let text = charsetDecoder(owned, declaredCharset) { return (text, .declaredCharset) }
        }
        var scalars = String.UnicodeScalarView()
        for index in bytes.indices { scalars.append(Unicode.Scalar(bytes[index])) }
        return (String(scalars), .undecodable)
    }
}
