/// The charset of a text, and how it is known. This is the only place that decides it.
///
/// An event stream is UTF-8. For others, in order:
/// the byte order mark; for JSON, the zeros of its first characters (RFC 4627 §3); the
/// label that came with the text, if it is known; what the document says itself; UTF-8, if the
/// bytes are valid; Windows-1252, as browsers do.
public struct TextCharset: Sendable, Hashable {
    public enum Origin: Sendable, Hashable {
        case byteOrderMark, codeUnits, label, document, validUTF8
        /// Nothing names the charset, and the text is not UTF-8.
        case guess
    }

    public let charset: Charset
    public let origin: Origin
    /// The size of the byte order mark before the text, in bytes.
    public let markByteCount: Int

    /// - Parameters:
    ///   - bytes: The text or its start, with content codings removed.
    ///   - label: The charset parameter of Content-Type.
    ///   - syntax: What the text is, which decides what it may say of itself.
    ///   - isTruncated: Whether the bytes are only the start, and may end within a character.
    public init(
        of bytes: Span<UInt8>, label: String? = nil, syntax: DocumentSyntax = .plain,
        isTruncated: Bool = false
    ) {
        if syntax == .eventStream {
            let mark = TextCharset.byteOrderMark(bytes)
            let byteCount = mark?.charset == .utf8 ? mark?.byteCount : 0
            self.init(.utf8, .document, markByteCount: byteCount ?? 0)
            return
        }
        let declared = label.flatMap(Charset.init(label:))
        // JSON has no NUL, and so no mark of UTF-16 before one.
        let mayBeUTF32 = syntax == .json || declared?.unitByteCount == 4
        if let (charset, byteCount) = TextCharset.byteOrderMark(bytes, mayBeUTF32: mayBeUTF32) {
            self.init(charset, .byteOrderMark, markByteCount: byteCount)
        } else if syntax == .json, let charset = TextCharset.ofUnits(bytes) {
            self.init(charset, .codeUnits)
        } else if let declared {
            self.init(declared, .label)
        } else if let charset = syntax.declaration(bytes) {
            self.init(charset, .document)
        } else if UTF8Check.isValid(bytes, isTruncated: isTruncated) {
            self.init(.utf8, .validUTF8)
        } else {
            self.init(.windows1252, .guess)
        }
    }

    /// A charset that was chosen.
    public init(_ charset: Charset) { self.init(charset, .label) }

    private init(_ charset: Charset, _ origin: Origin, markByteCount: Int = 0) {
        self.charset = charset
        self.origin = origin
        self.markByteCount = markByteCount
    }

    /// The charset of a byte order mark (WHATWG Encoding §6, "BOM sniff"), and the mark's size in
    /// bytes. That of little-endian UTF-32 is also that of UTF-16 with a NUL.
    /// - Parameter mayBeUTF32: Whether marks of UTF-32 count.
    public static func byteOrderMark(
        _ bytes: Span<UInt8>, mayBeUTF32: Bool = false
    ) -> (charset: Charset, byteCount: Int)? {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFF, 0xFE):
            let isWide = bytes.count >= 4 && bytes[2] == 0 && bytes[3] == 0
            return isWide && mayBeUTF32 ? (.utf32LittleEndian, 4) : (.utf16LittleEndian, 2)
        case (0xFE, 0xFF): return (.utf16BigEndian, 2)
        case (0xEF, 0xBB) where bytes.count >= 3 && bytes[2] == 0xBF: return (.utf8, 3)
        case (0, 0) where bytes.count >= 4 && bytes[2] == 0xFE && bytes[3] == 0xFF:
            return mayBeUTF32 ? (.utf32BigEndian, 4) : nil
        default: return nil
        }
    }

    /// The charset of a text that begins with a character of ASCII, if its code units are larger
    /// than bytes: that can be seen from its zeros.
    static func ofUnits(_ bytes: Span<UInt8>) -> Charset? {
        guard bytes.count >= 2 else { return nil }
        let isZero = (0..<min(4, bytes.count)).map { bytes[$0] == 0 }
        switch isZero {
        case [true, true, true, false]: return .utf32BigEndian
        case [false, true, true, true]: return .utf32LittleEndian
        case let zeros where zeros[0] && !zeros[1]: return .utf16BigEndian
        case let zeros where !zeros[0] && zeros[1]: return .utf16LittleEndian
        default: return nil
        }
    }

    public var isKnown: Bool { origin != .guess }

    /// The text of bytes that begin with the byte order mark, if there is one, without it.
    public func decode(_ bytes: Span<UInt8>, isTruncated: Bool = false) -> DecodedText {
        let start = min(markByteCount, bytes.count)
        return charset.decode(bytes.extracting(start..<bytes.count), isTruncated: isTruncated)
    }

    /// The text as UTF-8, without a mark: `bytes` themselves if they are UTF-8, even if invalid.
    public func utf8(of bytes: [UInt8], isTruncated: Bool = false) -> [UInt8] {
        guard charset != .utf8 else {
            return markByteCount == 0 ? bytes : Array(bytes.dropFirst(markByteCount))
        }
        let start = min(markByteCount, bytes.count)
        let text = bytes.span.extracting(start..<bytes.count)
        return charset.utf8(text, isTruncated: isTruncated).bytes
    }
}

/// What a text is, if its charset depends on that.
public enum DocumentSyntax: Sendable, Hashable {
    /// Text that does not name its charset.
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
    /// The charset that a document names in ASCII: it cannot be UTF-16 then, and is UTF-8 instead.
    init?(declared label: some Sequence<UInt8>) {
        guard let charset = Charset(label: String(decoding: Array(label), as: UTF8.self)) else {
            return nil
        }
        switch charset {
        case .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian: self = .utf8
        case .xUserDefined: self = .windows1252
        default: self = charset
        }
    }
}

/// Finds the `<meta>` that names the charset of an HTML document (HTML §13.2.3.2, "prescan a byte
/// stream to determine its encoding").
struct MetaPrescan {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The charset; nil if no `<meta>` names a known one.
    func charset() -> Charset? {
        var scan = self
        return scan.find()
    }

    private mutating func find() -> Charset? {
        while index < bytes.count {
            if begins(with: "<!--") {
                skipComment()
            } else if isMeta() {
                index += 6
                if let charset = meta() { return charset }
            } else if byte(at: 0) == UInt8(ascii: "<") {
                skipTag()
            } else {
                index += 1
            }
        }
        return nil
    }

    private func byte(at offset: Int) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func begins(with text: StaticString) -> Bool {
        let expected = text.withUTF8Buffer { Array($0) }
        guard index + expected.count <= bytes.count else { return false }
        return expected.indices.allSatisfy { lowercased(bytes[index + $0]) == expected[$0] }
    }

    private func isMeta() -> Bool {
        guard begins(with: "<meta"), let next = byte(at: 5) else { return false }
        return DocumentSyntax.isSpace(next) || next == UInt8(ascii: "/")
    }

    private func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

    /// Moves after a comment; the hyphens of its start may be those of its end.
    private mutating func skipComment() {
        index += 2
        while index < bytes.count {
            if begins(with: "-->") {
                index += 3
                return
            }
            index += 1
        }
    }

    private mutating func skipTag() {
        index += 1
        let isEndTag = byte(at: 0) == UInt8(ascii: "/")
        let first = byte(at: isEndTag ? 1 : 0)
        if let first, 0x61...0x7A ~= lowercased(first) {
            while let byte = byte(at: 0), !DocumentSyntax.isSpace(byte), byte != 0x3E { index += 1 }
            while attribute() != nil {}
        } else if let byte = byte(at: 0), isEndTag || byte == 0x21 || byte == 0x3F {
            while let byte = self.byte(at: 0), byte != 0x3E { index += 1 }
        }
    }

    /// Reads the attributes of a `<meta>`.
    private mutating func meta() -> Charset? {
        var names: Set<String> = []
        var isPragma = false
        var needsPragma: Bool?
        var charset: Charset?
        while let (name, value) = attribute() {
            guard names.insert(name).inserted else { continue }
            switch name {
            case "http-equiv": isPragma = value == "content-type"
            case "content":
                guard charset == nil, let found = MetaPrescan.charset(inContent: value) else {
                    continue
                }
                (charset, needsPragma) = (found, true)
            case "charset": (charset, needsPragma) = (Charset(declared: value.utf8), false)
            default: continue
            }
        }
        guard let needsPragma, !needsPragma || isPragma else { return nil }
        return charset
    }

    /// Reads the next attribute in lower case; nil at the end of the tag.
    private mutating func attribute() -> (name: String, value: String)? {
        while let byte = byte(at: 0), DocumentSyntax.isSpace(byte) || byte == 0x2F { index += 1 }
        guard let first = byte(at: 0), first != 0x3E else { return nil }
        var name: [UInt8] = []
        while let byte = byte(at: 0), byte != 0x2F, byte != 0x3E, !DocumentSyntax.isSpace(byte),
            byte != 0x3D || name.isEmpty
        {
            name.append(lowercased(byte))
            index += 1
        }
        skipSpace()
        guard byte(at: 0) == 0x3D else { return (String(decoding: name, as: UTF8.self), "") }
        index += 1
        skipSpace()
        return (String(decoding: name, as: UTF8.self), String(decoding: value(), as: UTF8.self))
    }

    private mutating func skipSpace() {
        while let byte = byte(at: 0), DocumentSyntax.isSpace(byte) { index += 1 }
    }

    private mutating func value() -> [UInt8] {
        var value: [UInt8] = []
        guard let quote = byte(at: 0), quote == 0x22 || quote == 0x27 else {
            while let byte = byte(at: 0), !DocumentSyntax.isSpace(byte), byte != 0x3E {
                value.append(lowercased(byte))
                index += 1
            }
            return value
        }
        index += 1
        while let byte = byte(at: 0) {
            index += 1
            if byte == quote { break }
            value.append(lowercased(byte))
        }
        return value
    }

    /// The charset in the `content` of a pragma (HTML §2.6.5, "extracting a character encoding from
    /// a meta element").
    private static func charset(inContent text: String) -> Charset? {
        var rest = Array(text.utf8)[...]
        while let place = rest.firstRange(of: Array("charset".utf8)) {
            rest = rest[place.upperBound...].drop(while: DocumentSyntax.isSpace)
            guard rest.first == 0x3D else { continue }
            rest = rest.dropFirst().drop(while: DocumentSyntax.isSpace)
            guard let quote = rest.first, quote == 0x22 || quote == 0x27 else {
                return Charset(declared: rest.prefix { !DocumentSyntax.isSpace($0) && $0 != 0x3B })
            }
            let label = rest.dropFirst().prefix { $0 != quote }
            return label.endIndex < rest.endIndex ? Charset(declared: label) : nil
        }
        return nil
    }
}
