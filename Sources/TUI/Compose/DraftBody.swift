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
        }
    }

    /// The bytes that are sent to the server.
    var sent: [UInt8] { isEdited ? bytes : captured.kept }

    /// Whether `bytes` are the complete, decoded content.
    var isReadable: Bool { problem == nil || isEdited }

    /// Whether the body was not stored completely and has not been replaced since.
    var isIncomplete: Bool { captured.isTruncated && !isEdited }

    mutating func set(_ bytes: [UInt8], _ fields: HeaderFields) {
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
