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

    static func isBlank(_ octet: UInt8) -> Bool {
        octet == 0x20 || 0x09...0x0D ~= octet
    }

    /// The construct that a `<` starts, or nil if more bytes are needed to decide.
    static func construct(_ octets: Span<UInt8>, isEnd: Bool) -> Construct? {
        guard octets.count >= 9 || isEnd else { return nil }
        guard octets.count > 1 else { return .text }
        switch octets[1] {
        case UInt8(ascii: "!"):
            if starts("<!--", octets) { return .aside(end: Array("-->".utf8)) }
            if starts("<![CDATA[", octets) { return .aside(end: Array("]]>".utf8)) }
            return .aside(end: Array(">".utf8))
        case UInt8(ascii: "?"): return .aside(end: Array("?>".utf8))
        case UInt8(ascii: "/"): return .endTag
        case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"): return .startTag
        default: return .text
        }
    }

    /// The tag at the start, or nil if it does not end within the maximum length of a line.
    static func tag(_ octets: Span<UInt8>) -> Tag? {
        let limit = min(octets.count, TextScanner.lineByteCountMax)
        guard limit > 1 else { return nil }
        let isEnd = octets[1] == UInt8(ascii: "/")
        var index = isEnd ? 2 : 1
        var name: [UInt8] = []
        while index < limit, !isBlank(octets[index]), octets[index] != UInt8(ascii: ">"),
            octets[index] != UInt8(ascii: "/")
        {
            name.append(ASCII.lowercased(octets[index]))
            index += 1
        }
        var quote: UInt8?
        while index < limit {
            let octet = octets[index]
            if let open = quote {
                if octet == open { quote = nil }
            } else if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'") {
                quote = octet
            } else if octet == UInt8(ascii: ">") {
                return Tag(
                    name: name, isEnd: isEnd,
                    isSelfClosing: octets[index - 1] == UInt8(ascii: "/"), byteCount: index + 1)
            }
            index += 1
        }
        return nil
    }

    /// Whether the end tag with a name starts at an index.
    static func isEndTag(_ name: [UInt8], _ octets: Span<UInt8>, _ index: Int) -> Bool {
        guard index + 2 + name.count <= octets.count,
            octets[index + 1] == UInt8(ascii: "/")
        else { return false }
        for (step, octet) in name.enumerated()
        where ASCII.lowercased(octets[index + 2 + step]) != octet {
            return false
        }
        return true
    }

    /// Whether the bytes before an index end with a suffix.
    static func hasSuffix(_ suffix: [UInt8], _ octets: Span<UInt8>, _ end: Int) -> Bool {
        guard end >= suffix.count, end <= octets.count else { return false }
        for (step, octet) in suffix.enumerated()
        where octets[end - suffix.count + step] != octet {
            return false
        }
        return true
    }

    /// A position to split at that is not inside a character.
    static func boundary(_ octets: Span<UInt8>, _ index: Int) -> Int {
        guard index < octets.count else { return index }
        var cut = index
        while cut > 1, index - cut < 3, octets[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }

    private static func starts(_ literal: StaticString, _ octets: Span<UInt8>) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard octets.count >= count else { return false }
        let text = UnsafeBufferPointer(start: literal.utf8Start, count: count)
        for index in 0..<count where octets[index] != text[index] { return false }
        return true
    }
}
