/// The charset of a text, and how it is known. This is the only place that decides it.
///
/// An event stream is UTF-8. For others, in order:
/// the byte order mark; for JSON, the zeros of its first characters (RFC 4627 §3); the
/// label that came with the text, if it is known; what the document says itself; UTF-8, if the
/// bytes are valid; Windows-1252, as browsers do.
public struct TextCharset: Sendable, Hashable {
    /// How a charset is known.
    public enum Origin: Sendable, Hashable {
        case byteOrderMark, codeUnits, label, document, validUTF8
        /// Nothing says it, and it is not UTF-8.
        case guess
    }

    /// The charset in which the text is read.
    public let charset: Charset
    /// How the charset is known.
    public let origin: Origin
    /// The size of the byte order mark before the text, in bytes.
    public let markByteCount: Int

    /// Determines the charset of a text.
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
        } else if UTF8Look.isValid(bytes, isTruncated: isTruncated) {
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

    /// Whether the charset is known and not guessed.
    public var isKnown: Bool { origin != .guess }

    /// The text of bytes that begin with the byte order mark, if there is one, without it.
    public func decode(_ bytes: Span<UInt8>, isTruncated: Bool = false) -> DecodedText {
        let start = min(markByteCount, bytes.count)
        return charset.decode(bytes.extracting(start..<bytes.count), isTruncated: isTruncated)
    }

    /// The text as UTF-8, without a byte order mark: `bytes` themselves if they are UTF-8, even if
    /// some are invalid.
    public func utf8(of bytes: [UInt8], isTruncated: Bool = false) -> [UInt8] {
        guard charset != .utf8 else {
            return markByteCount == 0 ? bytes : Array(bytes.dropFirst(markByteCount))
        }
        let start = min(markByteCount, bytes.count)
        let text = bytes.span.extracting(start..<bytes.count)
        return charset.utf8(text, isTruncated: isTruncated).bytes
    }
}
