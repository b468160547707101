internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A body in HAR format: content codings removed, text as text, everything else in base64.
struct HARBody {
    private let content: BodyContent
    /// The text; nil if the content is not text.
    private let text: String?

    init(_ body: Body, _ fields: HeaderFields?) {
        content = BodyContent(body, fields)
        text = content.isDecoded ? content.text : nil
    }

    /// The bytes, if text and encoding do not reproduce them; otherwise nil.
    var unrestorable: [UInt8]? {
        if let text { return text.utf8.elementsEqual(content.body.kept) ? nil : content.body.kept }
        return shown == content.body.kept ? nil : content.body.kept
    }

    /// The bytes to write in base64: the decoded content, or the original if that failed.
    private var shown: [UInt8] { content.isDecoded ? content.bytes : content.body.kept }

    /// The members for the content and any comment about it.
    private var textMembers: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("text", .string(text ?? Base64.text(shown)))]
        if text == nil { members.append(("encoding", .string("base64"))) }
        if let remark { members.append(("comment", .string(remark))) }
        return members
    }

    // MARK: Response

    var responseContent: JSONValue {
        var members: [(String, JSONValue)] = [("size", .integer(decodedByteCount))]
        if content.contentEncoding != nil, content.isDecoded, !content.body.isTruncated {
            members.append(("compression", .integer(decodedByteCount &- content.body.byteCount)))
        }
        members.append(("mimeType", .string(content.contentType ?? "")))
        return .members(members + textMembers)
    }

    /// The size of the decoded content in bytes; of a truncated body, the bytes transferred.
    private var decodedByteCount: Int64 {
        content.body.isTruncated
            ? max(content.body.byteCount, Int64(content.bytes.count))
            : Int64(shown.count)
    }

    // MARK: Request

    /// `request.postData`; nil if there is no body.
    var postData: JSONValue? {
        guard content.body.byteCount > 0 else { return nil }
        var members: [(String, JSONValue)] = [("mimeType", .string(content.contentType ?? ""))]
        if let parameters { members.append(("params", .array(parameters))) }
        // HAR has no binary request bodies; other writers use `encoding` for them.
        return .members(members + textMembers)
    }

    private var parameters: [JSONValue]? {
        if let form = content.form {
            return form.map { .members([("name", .string($0.0)), ("value", .string($0.1 ?? ""))]) }
        }
        return content.fields?.map(HARBody.parameter)
    }

    private static func parameter(_ field: BodyContent.FormField) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(field.name ?? ""))]
        if let filename = field.filename {
            members.append(("fileName", .string(filename)))
        } else if let text = String(validating: field.bytes, as: UTF8.self) {
            members.append(("value", .string(text)))
        }
        if let type = field.contentType { members.append(("contentType", .string(type))) }
        return .members(members)
    }

    // MARK: Remarks

    private var remark: String? {
        if content.body.isTruncated {
            return "\(content.body.kept.count) of \(content.body.byteCount) bytes were kept"
        }
        return content.problem.map { "not decoded: \($0)" }
    }
}

extension BodyContent {
    /// One part of a multipart body, with its content.
    struct FormField: Equatable {
        var name: String?
        var filename: String?
        var contentType: String?
        /// The content, as UTF-8 if it is text; empty for files.
        var bytes: [UInt8] = []
    }

    /// The parts of a multipart body, up to the first error; nil if the body is not multipart.
    var fields: [FormField]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary):
            FormField.all(of: bytes, boundary: boundary, text(ofParts: boundary))
        default: nil
        }
    }
}

extension BodyContent.FormField {
    fileprivate static func all(of bytes: [UInt8], boundary: [UInt8], _ text: ByteText) -> [Self] {
        var fields: [Self] = []
        var head: MultipartPartHead?
        // The parts before an error are still worth writing.
        for event in MultipartEvent.all(in: bytes, boundary: boundary, text).events {
            switch event {
            case .part(let next):
                head = next
                fields.append(
                    Self(name: next.name, filename: next.filename, contentType: next.contentType))
            case .data(let bytes):
                guard let last = fields.indices.last, fields[last].filename == nil else { continue }
                fields[last].bytes += bytes
            case .partEnd:
                guard let last = fields.indices.last, let head else { continue }
                fields[last].bytes = utf8(fields[last].bytes, head, text)
            case .end: break
            }
        }
        return fields
    }

    private static func utf8(
        _ content: [UInt8], _ head: MultipartPartHead, _ form: ByteText
    ) -> [UInt8] {
        let bytes = head.transferEncoding.decoded(content)
        let (text, origin) = ByteText(of: head, in: form).reading(bytes.span)
        return origin == .undecodable ? bytes : Array(text.utf8)
    }
}

/// Cookies in HAR format: each field line contributes its own cookies, without folding or decoding.
enum HARCookie {
    /// The cookies of a request: `name=value` pairs of its Cookie lines (RFC 6265 §4.2).
    static func requestCookies(_ fields: HeaderFields?) -> [JSONValue] {
        (fields?.values(named: "Cookie") ?? []).flatMap { line in
            line.split(separator: ";").map { pair in
                let (name, value) = split(pair)
                return .members([("name", .string(name)), ("value", .string(value))])
            }
        }
    }

    /// The cookies of a response, one for each Set-Cookie line (RFC 6265 §4.1).
    static func responseCookies(_ fields: HeaderFields) -> [JSONValue] {
        fields.values(named: "Set-Cookie").map { line in
            let parts = line.split(separator: ";", omittingEmptySubsequences: false)
            let (name, value) = split(parts.first ?? "")
            return .members(
                [("name", .string(name)), ("value", .string(value))]
                    + attributes(parts.dropFirst().map(split)))
        }
    }

    /// HAR's own attributes under their names; others with an underscore before the name.
    private static func attributes(_ pairs: [(String, String)]) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        var isHTTPOnly = false
        var isSecure = false
        for (name, value) in pairs {
            switch name.lowercased() {
            case "path": members.append(("path", .string(value)))
            case "domain": members.append(("domain", .string(value)))
            case "expires":
                let moment = CookieDateReader.nanosecondsSinceEpoch(value.utf8)
                members.append(("expires", .text(moment.map(RFC3339.text(nanoseconds:)))))
                if moment == nil { members.append(("_expires", .string(value))) }
            case "httponly": isHTTPOnly = true
            case "secure": isSecure = true
            case "samesite": members.append(("_sameSite", .string(value)))
            case "max-age": members.append(("_maxAge", .string(value)))
            case "": break
            default: members.append(("_\(name)", .string(value)))
            }
        }
        return members + [("httpOnly", .bool(isHTTPOnly)), ("secure", .bool(isSecure))]
    }

    private static func split(_ pair: Substring) -> (String, String) {
        guard let equals = pair.firstIndex(of: "=") else { return (trimmed(pair), "") }
        return (trimmed(pair[..<equals]), trimmed(pair[pair.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
