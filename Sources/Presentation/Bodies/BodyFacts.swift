internal import ProxydCharsets
internal import ProxydHTTPWire
package import ProxydParameterCoding

/// Facts about a body from its head and its first bytes, enough to choose a viewer.
package struct BodyFacts: Sendable {
    /// How many bytes at the start are examined.
    package static let lookByteCount = 4 << 10
    /// How many bytes are examined if the first ones do not determine the charset.
    static let charsetByteCount = 4 << 20

    package var contentType: String?
    package var contentEncoding: String?
    /// The number of bytes transferred.
    package var passedByteCount: Int64
    /// The number of bytes that were stored, with content codings applied.
    package var keptByteCount: Int64
    private(set) var mediaType: MediaType?
    /// The kind of content, determined from its type and its first bytes.
    package private(set) var kind: BodyKind
    /// The first decoded bytes.
    package private(set) var beginning: [UInt8]
    /// The charset as determined by more than the first bytes; nil if only those were examined.
    private var decidedCharset: TextCharset?

    package init(
        contentType: String?, contentEncoding: String? = nil, passedByteCount: Int64,
        keptByteCount: Int64, beginning: [UInt8]
    ) {
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.passedByteCount = passedByteCount
        self.keptByteCount = keptByteCount
        self.beginning = Array(beginning.prefix(BodyFacts.lookByteCount))
        mediaType = contentType.flatMap { MediaType($0) }
        let first = self.beginning
        let declared = BodyKind.detect(contentType: mediaType, bytes: first.span)
        kind = declared
        // An error page may have the type of what was requested; text is never binary content.
        if declared.isBinary, BodyFacts.isText(first), !isBase64Call {
            kind = BodyKind.detect(contentType: nil, bytes: first.span)
        }
    }

    /// How the body is split into the messages of a call; nil if it is not a call's.
    var messageFraming: MessageFraming? {
        guard kind == .grpc, let contentType else { return nil }
        return MessageFraming(contentType: Array(contentType.utf8).span) ?? .grpc
    }

    private var isBase64Call: Bool {
        guard messageFraming == .grpcWebText else { return false }
        var stream = Base64Stream()
        var decoded: [UInt8] = []
        stream.decode(beginning.span, into: &decoded)
        return !stream.isInvalid
    }

    package init(contentType: String?, bytes: [UInt8]) {
        self.init(
            contentType: contentType, passedByteCount: Int64(bytes.count),
            keptByteCount: Int64(bytes.count), beginning: bytes)
    }

    /// Creates the facts of bytes that are known to be text, whatever they look like.
    package init(text bytes: [UInt8]) {
        self.init(contentType: "text/plain; charset=utf-8", bytes: bytes)
        kind = .plainText
    }

    /// The same facts of a body whose text was converted to UTF-8.
    func inUTF8(_ bytes: [UInt8]) -> BodyFacts {
        var facts = BodyFacts(
            contentType: "\(mediaType?.essence ?? "text/plain"); charset=utf-8",
            contentEncoding: contentEncoding, passedByteCount: passedByteCount,
            keptByteCount: keptByteCount, beginning: bytes)
        facts.contentType = contentType
        facts.kind = kind
        return facts
    }

    var charset: TextCharset { decidedCharset ?? charset(of: beginning, isTruncated: true) }

    private func charset(of bytes: [UInt8], isTruncated: Bool) -> TextCharset {
        TextCharset(
            of: bytes.span, label: mediaType?.charset, syntax: kind.syntax,
            isTruncated: isTruncated)
    }

    /// The same facts, with the charset determined by all available bytes: if none is declared, the
    /// first ones may be ASCII.
    func decided(by source: any BodySource) -> BodyFacts {
        let extent = source.extent
        guard extent.byteCount > beginning.count, looksLikeText, charset.origin == .validUTF8 else {
            return self
        }
        let bytes = source.read(from: 0, byteCount: BodyFacts.charsetByteCount)
        let isWhole = extent.isComplete && bytes.count == extent.byteCount
        var facts = self
        facts.decidedCharset = charset(of: bytes, isTruncated: !isWhole)
        return facts
    }

    /// The boundary of a multipart body, or nil for other types.
    var multipartBoundary: [UInt8]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary): boundary
        default: nil
        }
    }

    /// Whether the first bytes are text in any charset: no control characters except white space.
    var looksLikeText: Bool {
        if TextCharset.byteOrderMark(beginning.span) != nil { return true }
        return kind != .binary && BodyFacts.isText(beginning)
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || 0x09...0x0D ~= $0 || $0 == 0x1B }
    }

    /// A summary for a line above the body: type, codings with sizes, truncation, problems.
    package func summary(_ extent: BodyExtent) -> String {
        var parts = [contentType ?? "no content type"]
        let decoded = Quantity.bytes(Int64(extent.byteCount))
        if let contentEncoding {
            let more = extent.isComplete ? "" : "+"
            parts.append("\(contentEncoding), \(Quantity.bytes(keptByteCount)) → \(decoded)\(more)")
        } else {
            parts.append(Quantity.bytes(passedByteCount))
        }
        if keptByteCount < passedByteCount {
            let kept = Quantity.bytes(keptByteCount)
            parts.append("truncated: kept \(kept) of \(Quantity.bytes(passedByteCount))")
        }
        if let problem = extent.failure ?? extent.remark { parts.append(problem) }
        return parts.joined(separator: " · ")
    }
}

extension BodyKind {
    /// Whether content of this kind is never text.
    package var isBinary: Bool {
        switch self {
        case .image(let subtype): !subtype.hasSuffix("xml")
        case .audio, .video, .font, .archive, .webAssembly, .protobuf, .grpc, .messagePack, .cbor:
            true
        default: false
        }
    }
}

/// The charset of a body for viewers, which find lines in its bytes.
package struct TextEncoding: Sendable, Hashable {
    let charset: Charset
    /// The size of the byte order mark before the text, in bytes.
    let markByteCount: Int

    package init(_ facts: BodyFacts) {
        let known = facts.charset
        charset = known.charset
        markByteCount = known.markByteCount
    }

    /// Decodes bytes; nil for UTF-8, whose invalid bytes `StyledText` shows one by one.
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
