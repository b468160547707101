public import ProxydCharsets
public import ProxydContentCoding
public import ProxydHTTPModel
public import ProxydParameterCoding

/// The content of a recorded body, with content codings and charset decoded as far as possible.
public struct BodyContent {
    public let body: Body
    /// The value of Content-Encoding, with field lines joined; nil if there is none.
    public let contentEncoding: String?
    public let contentType: String?
    /// The content with codings removed, as far as it could be decoded.
    public let bytes: [UInt8]
    /// Why `bytes` is incomplete; nil if it is complete.
    public let failure: ContentCodingError?
    /// Why a content coding was not removed: `bytes` have never had it. Nil if none was left.
    public let remark: CodingRemark?
    /// The part of Content-Encoding that was not removed from `bytes`; nil if all of it was.
    public let remainingEncoding: String?
    public let kind: BodyKind
    /// The content as text; nil if it is not text, in no known charset, or not valid in it.
    public let text: String?
    /// The charset of the content; nil if it is not text.
    public let charset: TextCharset?

    public init(_ body: Body, _ fields: HeaderFields?) {
        self.body = body
        let codings = fields?.values(named: "Content-Encoding") ?? []
        let encoding = codings.isEmpty ? nil : codings.joined(separator: ", ")
        contentEncoding = encoding
        contentType = fields?["Content-Type"]
        let mediaType = contentType.flatMap(MediaType.init)
        let decoded = encoding.map { ContentDecoder.decode(body.kept.span, contentEncoding: $0) }
        let content = decoded?.bytes ?? body.kept
        bytes = content
        failure = decoded?.failure
        remark = decoded?.remark
        remainingEncoding = decoded.flatMap { decoded in
            decoded.remark == nil ? nil : Coding.value(encoding ?? "", without: decoded.removed)
        }
        let isCut = failure != nil || body.isTruncated
        let known = BodyText(content.span, contentType: mediaType, isTruncated: isCut)
        kind = known.kind
        charset = known.charset
        text = BodyContent.text(content, known, isCut: isCut)
    }

    public init(decoded bytes: [UInt8], contentType: String?) {
        var fields = HeaderFields()
        if let contentType { fields.append(name: "Content-Type", value: contentType) }
        self.init(Body(bytes), fields)
    }

    /// Whether the recorded part could be decoded: a truncated body ends inside its coding.
    public var isDecoded: Bool {
        guard let failure else { return true }
        if case .truncatedInput = failure { return body.isTruncated }
        return false
    }

    /// The content as UTF-8 if it is text; otherwise its bytes.
    public var utf8: [UInt8] { charset?.utf8(of: bytes) ?? bytes }

    /// Why the content is incomplete or was left as it came, for users; nil if it is neither.
    public var problem: String? {
        if !isDecoded, let failure { return "\(failure)" }
        return remark.map { "\($0)" }
    }

    /// The content as a JSON value; nil if it is not JSON.
    public var json: JSONValue? {
        guard kind == .json, failure == nil else { return nil }
        return try? JSONReader().read(utf8)
    }

    /// The pairs of a form; nil if it is not a form.
    public var form: [(String, String?)]? {
        guard kind == .form else { return nil }
        let text = ByteText(ofForm: bytes.span, declaredCharset: label)
        return BodyContent.pairs(bytes, text)
    }

    /// The parts of a multipart form, each with its size in bytes; nil if it is not one.
    public var parts: [Part]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary):
            Part.all(of: bytes, boundary: boundary, text(ofParts: boundary))
        default: nil
        }
    }

    /// The names and values of a query or a form.
    public static func pairs(_ bytes: [UInt8], _ text: ByteText) -> [(String, String?)] {
        QueryDecoder(text: text).decode(bytes).pairs.map { ($0.name, $0.value) }
    }

    /// The converter for the names in a multipart body, and the fields of a multipart form.
    package func text(ofParts boundary: [UInt8]) -> ByteText {
        ByteText(ofParts: bytes.span, boundary: boundary, declaredCharset: label)
    }

    private var label: String? { contentType.flatMap(MediaType.init)?.charset }

    private static func text(_ bytes: [UInt8], _ known: BodyText, isCut: Bool) -> String? {
        if bytes.isEmpty { return "" }
        guard known.kind.isText, let charset = known.charset, charset.isKnown else { return nil }
        let decoded = charset.decode(bytes.span, isTruncated: isCut)
        return decoded.isLossy ? nil : decoded.text
    }

    public struct Part: Sendable, Equatable {
        public var name: String?
        /// The file name; nil if the part is not a file.
        public var filename: String?
        public var contentType: String?
        public var byteCount = 0

        /// The parts up to the first error; empty if the body is invalid from the start.
        static func all(of bytes: [UInt8], boundary: [UInt8], _ text: ByteText) -> [Part] {
            // The parts before an error are still worth showing.
            parts(MultipartEvent.all(in: bytes, boundary: boundary, text).events)
        }

        private static func parts(_ events: [MultipartEvent]) -> [Part] {
            var parts: [Part] = []
            for event in events {
                switch event {
                case .part(let head):
                    parts.append(
                        Part(
                            name: head.name, filename: head.filename,
                            contentType: head.contentType))
                case .data(let bytes):
                    if !parts.isEmpty { parts[parts.count - 1].byteCount += bytes.count }
                case .partEnd, .end: break
                }
            }
            return parts
        }
    }
}
