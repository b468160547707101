internal import ProxydCharsets
internal import ProxydParameterCoding

/// The charset of a body for viewers, which find lines in its bytes.
package struct TextEncoding: Sendable, Hashable {
    let charset: Charset
    /// The size of the byte order mark before the text, in bytes.
    let markByteCount: Int

    /// The encoding of a body, as far as the facts tell it.
    package init(_ facts: BodyFacts) {
        let known = facts.charset
        charset = known.charset
        markByteCount = known.markByteCount
    }

    /// Decodes bytes, or returns nil for UTF-8, for which `StyledText` shows invalid bytes one by
    /// one.
    func text(_ bytes: ArraySlice<UInt8>) -> String? {
        if charset == .utf8 { return nil }
        return charset.decode(bytes.span, isTruncated: true).text
    }

    /// Encodes a text; in UTF-8 if the charset lacks some of its characters.
    package func bytes(_ text: String) -> [UInt8] {
        (try? charset.encode(text)) ?? Array(text.utf8)
    }

    /// The name of the charset in lower case.
    var name: String { charset.rawValue.lowercased() }
}

extension StyledText {
    /// Appends bytes decoded from a charset.
    mutating func append(
        _ bytes: ArraySlice<UInt8>, _ style: Style = .plain, _ encoding: TextEncoding
    ) {
        if let text = encoding.text(bytes) {
            appendTabbed(text, style)
        } else {
            appendTabbed(bytes, style)
        }
    }
}
