internal import ProxydPresentation
internal import ProxydContentCoding
internal import ProxydHTTPModel

/// The body of a request being composed: content codings are removed for the user, and kept for the
/// server until the body is changed.
struct DraftBody: Sendable {
    /// The decoded bytes that the user edits.
    private(set) var bytes: [UInt8] = []
    /// The body as captured.
    private let captured: Body
    /// Why `bytes` are incomplete or not readable, or nil if they are complete.
    private(set) var problem: String?
    private(set) var isEdited = false
    /// The content codings that `bytes` are without; nil if they are the user's own.
    private var removed: [Coding]?

    /// Creates an empty body.
    init() { captured = Body() }

    /// Creates the draft of a captured body.
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

    /// The bytes that are sent to the server.
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
