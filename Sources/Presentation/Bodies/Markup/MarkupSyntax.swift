internal import ProxydHTTPModel

/// The grammar of tags, as far as it is needed for layout.
enum MarkupSyntax {
    enum Construct {
        case startTag, endTag
        /// A comment, declaration or processing instruction, up to these bytes.
        case aside(end: [UInt8])
        /// A `<` that starts nothing.
        case text
    }

    struct Tag {
        /// The name in lower case.
        let name: [UInt8]
        let isEnd: Bool
        let isSelfClosing: Bool
        /// The size in bytes, including the brackets.
        let byteCount: Int
    }

    private static let voidNames = names(
        "area base br col embed hr img input link meta source track wbr")
    private static let rawNames = names("script style textarea title")

    private static func names(_ list: String) -> Set<[UInt8]> {
        Set(list.utf8.split(separator: 0x20).map { Array($0) })
    }

    /// Whether an HTML element has no content and no end tag.
    static func isVoid(_ name: [UInt8]) -> Bool { voidNames.contains(name) }
    /// Whether an element's content is text up to its end tag, whatever it looks like.
    static func isRaw(_ name: [UInt8]) -> Bool { rawNames.contains(name) }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0D ~= byte
    }

    /// The construct that a `<` starts, or nil if more bytes are needed to decide.
    static func construct(_ bytes: Span<UInt8>, isEnd: Bool) -> Construct? {
        guard bytes.count >= 9 || isEnd else { return nil }
        guard bytes.count > 1 else { return .text }
        switch bytes[1] {
        case UInt8(ascii: "!"):
            if starts("<!--", bytes) { return .aside(end: Array("-->".utf8)) }
            if starts("<![CDATA[", bytes) { return .aside(end: Array("]]>".utf8)) }
            return .aside(end: Array(">".utf8))
        case UInt8(ascii: "?"): return .aside(end: Array("?>".utf8))
        case UInt8(ascii: "/"): return .endTag
        case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"): return .startTag
        default: return .text
        }
    }

    /// The tag at the start, or nil if it does not end within the maximum length of a line.
    static func tag(_ bytes: Span<UInt8>) -> Tag? {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        guard limit > 1 else { return nil }
        let isEnd = bytes[1] == UInt8(ascii: "/")
        var index = isEnd ? 2 : 1
        var name: [UInt8] = []
        while index < limit, !isBlank(bytes[index]), bytes[index] != UInt8(ascii: ">"),
            bytes[index] != UInt8(ascii: "/")
        {
            name.append(ASCII.lowercased(bytes[index]))
            index += 1
        }
        var quote: UInt8?
        while index < limit {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return Tag(
                    name: name, isEnd: isEnd,
                    isSelfClosing: bytes[index - 1] == UInt8(ascii: "/"), byteCount: index + 1)
            }
            index += 1
        }
        return nil
    }

    /// Whether the end tag with a name starts at an index.
    static func isEndTag(_ name: [UInt8], _ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index + 2 + name.count <= bytes.count,
            bytes[index + 1] == UInt8(ascii: "/")
        else { return false }
        for (step, byte) in name.enumerated()
        where ASCII.lowercased(bytes[index + 2 + step]) != byte {
            return false
        }
        return true
    }

    /// Whether the bytes before an index end with a suffix.
    static func hasSuffix(_ suffix: [UInt8], _ bytes: Span<UInt8>, _ end: Int) -> Bool {
        guard end >= suffix.count, end <= bytes.count else { return false }
        for (step, byte) in suffix.enumerated()
        where bytes[end - suffix.count + step] != byte {
            return false
        }
        return true
    }

    /// A position to split at that is not inside a character.
    static func boundary(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        guard index < bytes.count else { return index }
        var cut = index
        while cut > 1, index - cut < 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }

    private static func starts(_ literal: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.count >= count else { return false }
        let text = UnsafeBufferPointer(start: literal.utf8Start, count: count)
        for index in 0..<count where bytes[index] != text[index] { return false }
        return true
    }
}
