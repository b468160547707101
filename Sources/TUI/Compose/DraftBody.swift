internal import ProxydPresentation
internal import ProxydContentCoding
internal import ProxydHTTPModel

/// The body of a request while it is composed: content codings undone for the person, and kept
/// for the server as long as nobody changes it.
struct DraftBody: Sendable {
    /// What a person edits.
    private(set) var octets: [UInt8] = []
    /// As it was captured.
    private let captured: Body
    /// Why `octets` are not everything, or not readable; nil where they are.
    private(set) var problem: String?
    private(set) var isEdited = false

    /// No body.
    init() { captured = Body() }

    /// A captured body.
    init(_ body: Body, _ fields: HeaderFields) {
        captured = body
        let codings = fields.values(named: "Content-Encoding")
        guard !codings.isEmpty else {
            octets = body.kept
            if body.isTruncated { problem = DraftBody.truncation(body) }
            return
        }
        let decoded = ContentDecoder.decode(
            body.kept.span, contentEncoding: codings.joined(separator: ","))
        octets = decoded.octets
        if body.isTruncated {
            problem = DraftBody.truncation(body)
        } else if decoded.failure != nil {
            octets = body.kept
            problem = "its content coding cannot be undone: it is shown as it came"
        }
    }

    /// What goes to the server.
    var sent: [UInt8] { isEdited ? octets : captured.kept }

    /// Whether `octets` are all of the content as it is meant.
    var isReadable: Bool { problem == nil || isEdited }

    /// What is missing of a body that was not kept whole and not replaced since.
    var isIncomplete: Bool { captured.isTruncated && !isEdited }

    mutating func set(_ octets: [UInt8], _ fields: HeaderFields) {
        guard octets != self.octets else { return }
        self.octets = octets
        isEdited = true
        problem = nil
    }

    private static func truncation(_ body: Body) -> String {
        "only \(Quantity.bytes(Int64(body.kept.count))) of "
            + "\(Quantity.bytes(body.byteCount)) were kept"
    }
}
