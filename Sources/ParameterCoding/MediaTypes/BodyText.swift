public import ProxydCharsets

/// What text a body is: the only place that decides it, for everything that shows, searches, edits
/// or writes bodies.
public struct BodyText: Sendable {
    public let kind: BodyKind
    /// The charset; nil if the body is not text.
    public let charset: TextCharset?

    /// Determines the text of a body from its Content-Type and its bytes.
    /// - Parameters:
    ///   - bytes: The body or its start, with content codings removed.
    ///   - isTruncated: Whether the bytes are only the start, and may end within a character.
    public init(_ bytes: Span<UInt8>, contentType: MediaType?, isTruncated: Bool = false) {
        kind = BodyKind.detect(contentType: contentType, bytes: bytes)
        let label = contentType?.charset
        // A charset is only declared for text.
        guard kind.isText || kind == .binary && label.flatMap(Charset.init(label:)) != nil else {
            charset = nil
            return
        }
        var known = TextCharset(
            of: bytes, label: label, syntax: kind.syntax, isTruncated: isTruncated)
        if kind == .form, known.origin == .validUTF8 || known.origin == .guess,
            let named = ByteText(ofForm: bytes, declaredCharset: nil).charset,
            !named.decode(bytes, isTruncated: isTruncated).isLossy
        {
            known = TextCharset(named)
        }
        // Each part of a multipart body has a charset of its own, and some have none.
        charset = kind.isMultipart && known.origin == .guess ? nil : known
    }

    /// The text of a body as UTF-8, without a byte order mark: `bytes` themselves if they are UTF-8
    /// or no text.
    public static func utf8(
        _ bytes: [UInt8], contentType: String?, isTruncated: Bool = false
    ) -> [UInt8] {
        let type = contentType.flatMap { MediaType($0) }
        if isASCII(bytes.span, type) { return bytes }
        return BodyText(bytes.span, contentType: type, isTruncated: isTruncated).utf8(of: bytes)
    }

    /// The text that filters and searches read: as `utf8`, and of a multipart body that is in no
    /// charset as a whole, the text of each part that is in one.
    public static func searched(
        _ bytes: [UInt8], contentType: String?, isTruncated: Bool = false
    ) -> [UInt8] {
        let type = contentType.flatMap { MediaType($0) }
        let isCoded = type?.boundary != nil && PartTransferEncoding.mayBeUsed(in: bytes.span)
        if !isCoded, isASCII(bytes.span, type) { return bytes }
        let text = BodyText(bytes.span, contentType: type, isTruncated: isTruncated)
        switch text.kind {
        case .multipart(let boundary), .multipartForm(let boundary):
            guard isCoded || text.charset == nil else { break }
            return EncodedParts(bytes, boundary: boundary)?.inUTF8 ?? bytes
        default: break
        }
        return text.utf8(of: bytes)
    }

    /// Whether a body is ASCII, which is UTF-8: its bytes could also be those of UTF-16.
    private static func isASCII(_ bytes: Span<UInt8>, _ type: MediaType?) -> Bool {
        guard PlainASCII.holds(for: bytes) else { return false }
        return type?.charset.flatMap(Charset.init(label:))?.hasIndependentLines ?? true
    }

    /// The text as UTF-8, as for the static function.
    public func utf8(of bytes: [UInt8]) -> [UInt8] { charset?.utf8(of: bytes) ?? bytes }

    /// The bytes of an edited text, in the charset of the body; see `TextCharset.encode`.
    public func bytes(
        of edited: [UInt8], inPlaceOf bytes: [UInt8], changes: [TextChange]? = nil
    ) throws(UnencodableCharacter) -> [UInt8] {
        try charset?.encode(edited, inPlaceOf: bytes, changes: changes) ?? edited
    }

    /// The bytes of a text for a new body: in the charset that its Content-Type declares, or that
    /// the text says it has, or in UTF-8.
    /// - Parameter byteCount: The size that the body had before it became text, which tells if it
    ///   had a byte order mark, or was UTF-16 or UTF-32 without declaring it.
    public static func bytes(
        of text: String, contentType: MediaType?, byteCount: Int64? = nil
    ) throws(UnencodableCharacter) -> [UInt8] {
        let utf8 = Array(text.utf8)
        let label = contentType?.charset
        let kind = BodyKind.detect(contentType: contentType, bytes: utf8.span)
        let form = kind == .form ? ByteText(ofForm: utf8.span, declaredCharset: label) : nil
        let charset =
            form?.charset ?? TextCharset(of: utf8.span, label: label, syntax: kind.syntax).charset
        if let byteCount,
            let former = charset.bytes(of: text, byteCount: byteCount)
                ?? wideBytes(of: text, contentType, byteCount: byteCount)
        {
            return former
        }
        return try charset.encode(text)
    }

    /// The bytes in UTF-16 or UTF-32, if the text has this size in it and is recognized as such;
    /// otherwise nil. The size does not reveal the byte order: it is little-endian.
    private static func wideBytes(
        of text: String, _ contentType: MediaType?, byteCount: Int64
    ) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        for charset in [Charset.utf16LittleEndian, .utf32LittleEndian] {
            guard let bytes = charset.bytes(of: text, byteCount: byteCount) else { continue }
            let read = BodyText(bytes.span, contentType: contentType).utf8(of: bytes)
            if read.elementsEqual(text.utf8) { return bytes }
        }
        return nil
    }
}

extension Charset {
    /// The bytes of a text with a byte order mark or without, whichever has this size; nil if
    /// neither has.
    fileprivate func bytes(of text: String, byteCount: Int64) -> [UInt8]? {
        guard let bytes = try? encode(text) else { return nil }
        let marks = [[], byteOrderMark]
        return marks.first { Int64($0.count + bytes.count) == byteCount }.map { $0 + bytes }
    }
}

extension BodyKind {
    public var isText: Bool {
        switch self {
        case .empty, .json, .jsonLines, .form, .xml, .html, .css, .javaScript, .eventStream,
            .plainText, .propertyListXML, .multipart, .multipartForm:
            true
        case .image(let subtype): subtype.hasSuffix("xml")
        default: false
        }
    }

    fileprivate var isMultipart: Bool {
        switch self {
        case .multipart, .multipartForm: true
        default: false
        }
    }

    /// How content of this kind may name its charset.
    public var syntax: DocumentSyntax {
        switch self {
        case .json, .jsonLines: .json
        case .html: .html
        case .xml, .propertyListXML: .xml
        case .image: isText ? .xml : .plain
        case .css: .css
        case .eventStream: .eventStream
        default: .plain
        }
    }
}
