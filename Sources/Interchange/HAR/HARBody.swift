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

    /// The bytes to write in base64: the decoded content, or the original bytes if they could not
    /// be decoded.
    private var shown: [UInt8] { content.isDecoded ? content.bytes : content.body.kept }

    /// The members for the content and any comment about it.
    private var textMembers: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("text", .string(text ?? Base64.text(shown)))]
        if text == nil { members.append(("encoding", .string("base64"))) }
        if let remark { members.append(("comment", .string(remark))) }
        return members
    }

    // MARK: Response

    /// `response.content`.
    var responseContent: JSONValue {
        var members: [(String, JSONValue)] = [("size", .integer(decodedByteCount))]
        if content.contentEncoding != nil, content.isDecoded, !content.body.isTruncated {
            members.append(("compression", .integer(decodedByteCount &- content.body.byteCount)))
        }
        members.append(("mimeType", .string(content.contentType ?? "")))
        return .members(members + textMembers)
    }

    /// The size of the decoded content in bytes; for a truncated body, the number of bytes
    /// transferred.
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
