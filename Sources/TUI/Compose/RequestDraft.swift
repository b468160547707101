internal import ProxydCharsets
internal import ProxydContentCoding
internal import ProxydCurlCommand
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import ProxydPresentation

/// A request being composed. Each part that is not changed keeps its original bytes.
struct RequestDraft: Sendable {
    private(set) var method: String
    private(set) var url: RawURL
    private(set) var query: EncodedPairs
    var fields: HeaderFields
    private(set) var body: DraftBody

    /// The maximum size in bytes of a body that is split into parts.
    private static let partedByteCountMax = 8 << 20

    struct Problem: Error, Sendable, CustomStringConvertible { let description: String }

    init(url text: String = "http://localhost/") {
        method = "GET"
        url = (try? RequestDraft.url(of: text)) ?? RequestDraft.nowhere
        query = QueryDecoder().decode([])
        fields = HeaderFields([(name: "Accept", value: "*/*")])
        body = DraftBody()
        query = RequestDraft.pairs(of: url)
    }

    /// Creates a draft of a captured request; nil if its head or URL could not be parsed.
    init?(_ request: Request) {
        guard let head = request.head, let url = request.url else { return nil }
        method = head.method.rawValue
        self.url = url
        query = RequestDraft.pairs(of: url)
        fields = HeaderFields(bytes: head.bytes, lines: head.fields.lines)
        body = DraftBody(request.body, fields)
    }

    /// Creates a draft of a held request: its head as text, its content before content codings.
    /// Throws if the head cannot be parsed.
    init(head: [UInt8], content: [UInt8]) throws(Problem) {
        self.init()
        take(try HeadText(head, former: self))
        body = DraftBody(Body(content), HeaderFields())
    }

    init(_ command: CurlInvocation) throws(Problem) {
        self.init()
        try setMethod(command.method)
        url = try RequestDraft.url(of: command.url)
        query = RequestDraft.pairs(of: url)
        for field in command.fields.pairs {
            try RequestDraft.check(fieldName: field.name, value: field.value)
        }
        fields = command.fields
        body.set(command.body)
    }

    private static let nowhere = RawURL(
        scheme: "http", host: "localhost", port: 80, origin: [UInt8(ascii: "/")])

    private static func pairs(of url: RawURL) -> EncodedPairs {
        QueryDecoder().decode(Array(url.query ?? []))
    }

    /// The request to send. A changed body is sent without content coding.
    var request: Request {
        let fields = body.sent(fields)
        let head = RequestHead(
            method: HTTPMethod(rawValue: method), target: url.origin, fields: fields)
        return Request(url: url, head: head, body: Body(body.sent))
    }

    // MARK: Start line

    mutating func setMethod(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        guard FieldValidator.isToken(bytes.span) else {
            throw Problem(
                description: "a method is one word of letters, digits and some punctuation")
        }
        guard text != "CONNECT" else {
            throw Problem(description: "CONNECT opens a tunnel: there is nothing to send again")
        }
        method = text
    }

    mutating func setURL(_ text: String) throws(Problem) {
        guard text != url.description else { return }
        url = try RequestDraft.url(of: text)
        query = RequestDraft.pairs(of: url)
    }

    /// Parses an absolute URL by proxyd's rules; a fragment is never sent.
    static func url(of text: String) throws(Problem) -> RawURL {
        do throws(WireError) {
            if let url = try RawURL(typed: text) { return url }
        } catch {
            throw Problem(description: "URL: \(error.message)")
        }
        throw Problem(description: "URL: write http://HOST/PATH or https://HOST/PATH")
    }

    // MARK: Query

    /// Changes the pairs of the query; the path and every unchanged pair are kept.
    mutating func editQuery(_ edit: (inout EncodedPairs) -> Void) {
        edit(&query)
        let bytes = query.bytes
        let tail = bytes.isEmpty ? [] : [UInt8(ascii: "?")] + bytes
        url = RawURL(
            scheme: url.scheme, host: url.host, port: url.port, origin: Array(url.path) + tail)
    }

    // MARK: Fields

    static func check(fieldName name: String, value: String) throws(Problem) {
        let (name, value) = (Array(name.utf8), Array(value.utf8))
        guard FieldValidator.isToken(name.span) else {
            throw Problem(description: "a field name cannot contain spaces or a colon")
        }
        guard FieldValidator.isFieldValue(value.span) else {
            throw Problem(
                description: "a field value cannot contain control characters, or begin or end "
                    + "with white space")
        }
    }

    // MARK: Body

    /// The body as UTF-8 if it is text; otherwise its bytes.
    var text: [UInt8] { bodyText.utf8(of: body.bytes) }

    private var bodyText: BodyText { BodyText(body.bytes.span, contentType: mediaType) }

    /// Replaces the body by its edited text, in its charset.
    mutating func setText(_ text: [UInt8]) throws(Problem) {
        do throws(UnencodableCharacter) {
            body.set(try bodyText.bytes(of: text, inPlaceOf: body.bytes))
        } catch {
            throw Problem(description: "the body cannot have this text: \(error)")
        }
    }

    mutating func editForm(_ edit: (inout EncodedPairs) -> Void) {
        guard var form = form else { return }
        edit(&form)
        body.set(form.bytes)
    }

    var form: EncodedPairs? {
        guard mediaType?.essence == "application/x-www-form-urlencoded", body.isReadable else {
            return nil
        }
        return FormDecoder.form(body.bytes, declaredCharset: mediaType?.charset)
    }

    /// The parts of a multipart body, or nil if it is not multipart or cannot be split.
    var parts: EncodedParts? {
        guard body.isReadable, body.bytes.count <= RequestDraft.partedByteCountMax else {
            return nil
        }
        return switch BodyKind.detect(contentType: mediaType, bytes: body.bytes.span) {
        case .multipart(let boundary), .multipartForm(let boundary):
            EncodedParts(body.bytes, boundary: boundary, declaredCharset: mediaType?.charset)
        default: nil
        }
    }

    mutating func setParts(_ parts: EncodedParts) { body.set(parts.bytes) }

    var mediaType: MediaType? { fields["Content-Type"].flatMap { MediaType($0) } }

    var isJSON: Bool {
        guard let mediaType else { return false }
        return mediaType.essence == "application/json" || mediaType.suffix == "json"
    }

    /// The error in a body that should be JSON, or nil if it is valid or not JSON.
    var jsonProblem: JSONSyntaxError? {
        guard isJSON, body.isReadable, !body.bytes.isEmpty else { return nil }
        do throws(JSONSyntaxError) {
            _ = try JSONReader().read(text)
            return nil
        } catch {
            return error
        }
    }

    mutating func take(_ head: HeadText) {
        method = head.method
        url = head.url
        query = RequestDraft.pairs(of: url)
        fields = head.fields
    }
}

/// The body of a request being composed: content codings are removed for the user, and kept for the
/// server until the body is changed.
struct DraftBody: Sendable {
    /// The decoded bytes that the user edits.
    private(set) var bytes: [UInt8] = []
    private let captured: Body
    /// Why `bytes` are incomplete or not readable, or nil if they are complete.
    private(set) var problem: String?
    private(set) var isEdited = false
    /// The content codings that `bytes` are without; nil if they are the user's own.
    private var removed: [Coding]?

    init() { captured = Body() }

    init(_ body: Body, _ fields: HeaderFields) {
        captured = body
        let codings = fields.values(named: "Content-Encoding")
        guard !codings.isEmpty else {
            bytes = body.kept
            if body.isTruncated { problem = DraftBody.truncation(body) }
            return
        }
        let decoded = ContentDecoder.decode(
            body.kept.span, contentEncoding: codings.joined(separator: ","))
        bytes = decoded.bytes
        if body.isTruncated {
            problem = DraftBody.truncation(body)
        } else if decoded.failure != nil {
            bytes = body.kept
            problem = "its content coding cannot be decoded: it is shown as received"
            return
        }
        removed = decoded.removed
    }

    /// The fields that are sent. An edited body goes without the content codings that were removed
    /// for the user; one that it never had stays in Content-Encoding.
    func sent(_ fields: HeaderFields) -> HeaderFields {
        guard isEdited else { return fields }
        let codings = fields.values(named: "Content-Encoding").joined(separator: ",")
        let left = removed.flatMap { Coding.value(codings, without: $0) }
        guard left == nil || removed?.isEmpty == false else { return fields }
        var fields = fields
        fields.removeAll(named: "Content-Encoding")
        if let left { fields.append(name: "Content-Encoding", value: left) }
        return fields
    }

    var sent: [UInt8] { isEdited ? bytes : captured.kept }

    /// Whether `bytes` are the complete, decoded content.
    var isReadable: Bool { problem == nil || isEdited }

    /// Whether the body was not stored completely and has not been replaced since.
    var isIncomplete: Bool { captured.isTruncated && !isEdited }

    mutating func set(_ bytes: [UInt8]) {
        guard bytes != self.bytes else { return }
        self.bytes = bytes
        isEdited = true
        problem = nil
    }

    private static func truncation(_ body: Body) -> String {
        "only \(Quantity.bytes(Int64(body.kept.count))) of "
            + "\(Quantity.bytes(body.byteCount)) were kept"
    }
}

/// A request head for an editor: the complete URL in the first line, then a field per line.
struct HeadText: Sendable {
    let method: String
    let url: RawURL
    let fields: HeaderFields

    /// The text of a draft. Bytes that are not text stay unchanged.
    static func bytes(of draft: RequestDraft) -> [UInt8] {
        var bytes = Array("\(draft.method) \(draft.url) HTTP/1.1\n".utf8)
        for line in draft.fields.lines {
            bytes += draft.fields.bytes[Int(line.start)..<Int(line.valueEnd)]
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Parses an edited text; `former` is its draft, whose URL keeps its bytes if unchanged.
    init(_ text: [UInt8], former: RequestDraft) throws(RequestDraft.Problem) {
        var bytes: [UInt8] = []
        for line in HeadText.lines(text) { bytes += line + [0x0D, 0x0A] }
        let head: RequestHead
        do throws(WireError) {
            head = try HeadParser.parseRequestHead(bytes + [0x0D, 0x0A])
        } catch {
            throw RequestDraft.Problem(description: "the head: \(error.message)")
        }
        var draft = former
        try draft.setMethod(head.method.rawValue)
        try draft.setURL(head.targetText)
        method = draft.method
        url = draft.url
        fields = head.fields
    }

    /// The lines without line endings and without empty ones at the end.
    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
