/// What a text is, as far as its charset depends on it.
public enum DocumentSyntax: Sendable, Hashable {
    /// Text that says nothing of itself.
    case plain
    case json, html, xml, css
    /// Server-sent events, which are UTF-8 whatever is declared (WHATWG HTML §9.2).
    case eventStream

    /// The maximum number of bytes in which a declaration is looked for.
    private static let lookByteCount = 1024

    /// The charset that a document without a byte order mark says it has.
    func declaration(_ bytes: Span<UInt8>) -> Charset? {
        guard self != .plain, self != .json, self != .eventStream else { return nil }
        let beginning = (0..<min(bytes.count, DocumentSyntax.lookByteCount)).map { bytes[$0] }
        switch self {
        case .plain, .json, .eventStream: return nil
        case .css: return DocumentSyntax.cssDeclaration(beginning)
        case .xml: return DocumentSyntax.xmlDeclaration(beginning)
        case .html:
            return MetaPrescan(beginning).charset() ?? DocumentSyntax.xmlDeclaration(beginning)
        }
    }

    /// `@charset "…";`, exactly so (CSS Syntax §3.2).
    private static func cssDeclaration(_ bytes: [UInt8]) -> Charset? {
        let start = Array("@charset \"".utf8)
        guard bytes.starts(with: start) else { return nil }
        let label = bytes[start.count...].prefix { $0 != UInt8(ascii: "\"") }
        guard bytes[label.endIndex...].starts(with: Array("\";".utf8)) else { return nil }
        return Charset(declared: label)
    }

    /// The encoding of an XML declaration (XML 1.0 §2.8 and appendix F).
    private static func xmlDeclaration(_ bytes: [UInt8]) -> Charset? {
        if bytes.starts(with: [0x3C, 0, 0x3F, 0]) { return .utf16LittleEndian }
        if bytes.starts(with: [0, 0x3C, 0, 0x3F]) { return .utf16BigEndian }
        guard bytes.starts(with: Array("<?xml".utf8)),
            let end = bytes.firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let declaration = bytes[..<end]
        let name = Array("encoding".utf8)
        guard let place = declaration.firstRange(of: name) else { return nil }
        var rest = declaration[place.upperBound...].drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop(while: isSpace)
        guard let quote = rest.popFirst(), quote == 0x22 || quote == 0x27 else { return nil }
        return Charset(declared: rest.prefix { $0 != quote })
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }
}

extension Charset {
    /// The charset that a document names in characters of ASCII. It cannot be UTF-16 then, and is
    /// UTF-8 instead.
    init?(declared label: some Sequence<UInt8>) {
        guard let charset = Charset(label: String(decoding: Array(label), as: UTF8.self)) else {
            return nil
        }
        switch charset {
        case .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian:
            self = .utf8
        case .xUserDefined: self = .windows1252
        default: self = charset
        }
    }
}
