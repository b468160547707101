/// Gives the text of octets in a charset named by its label, or nil where it cannot.
///
/// This module knows UTF-8 and Latin-1 only; whoever has more charsets passes them in.
public typealias CharsetDecoder = @Sendable (_ octets: [UInt8], _ label: String) -> String?

/// How octets become text: UTF-8 where they are valid UTF-8, else the declared charset, else
/// each octet as its Latin-1 character. It always gives a text, and nothing traps.
public struct OctetText: Sendable {
    /// The charset that was declared for the octets, as its label.
    public let declaredCharset: String?
    /// Decodes charsets this module does not know.
    public let charsetDecoder: CharsetDecoder?

    /// Rules for octets whose charset was declared as `declaredCharset`, or not at all.
    public init(declaredCharset: String? = nil, charsetDecoder: CharsetDecoder? = nil) {
        self.declaredCharset = declaredCharset
        self.charsetDecoder = charsetDecoder
    }

    /// The text of octets.
    public func text(_ octets: Span<UInt8>) -> String { reading(octets).text }

    /// The text of octets, and what it was read as.
    public func reading(_ octets: Span<UInt8>) -> (text: String, origin: TextOrigin) {
        if let span = try? UTF8Span(validating: octets) { return (String(copying: span), .utf8) }
        return legacyReading(octets)
    }

    private func legacyReading(_ octets: Span<UInt8>) -> (text: String, origin: TextOrigin) {
        if let declaredCharset, let charsetDecoder {
            let owned = octets.withUnsafeBufferPointer { Array($0) }
            if let text = charsetDecoder(owned, declaredCharset) { return (text, .declaredCharset) }
        }
        var scalars = String.UnicodeScalarView()
        for index in octets.indices { scalars.append(Unicode.Scalar(octets[index])) }
        return (String(scalars), .undecodable)
    }
}
