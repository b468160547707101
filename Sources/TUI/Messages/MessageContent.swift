internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// One message with all of its stored bytes, and their meaning.
struct MessageContent: Sendable {
    let row: MessageRow
    /// Facts that not every message has: an event's name, a call's method.
    let members: [JSONValue.Member]
    /// The meaning of the bytes if it differs from them: an event's data, or a gRPC message as
    /// JSON; otherwise nil.
    let meaning: [UInt8]?
    /// The protocol rule that the message violates, or why it cannot be decoded; nil if it is
    /// valid.
    let problem: String?

    /// Facts that every message has, or that are shown elsewhere.
    private static let known: Set<String> = [
        "position", "at", "direction", "kind", "bytes", "text", "base64", "json", "fields",
        "code", "reason", "compressed", "fragmented", "cut", "unfinished", "problem",
    ]

    /// Creates the content of a message; `grpc` says how gRPC messages are decoded.
    init(_ row: MessageRow, _ grpc: GRPCReading? = nil) {
        self.row = row
        guard MessageContent.hasMeaning(row.kind),
            case .object(let members) = MessageJSON.value(row, grpc: grpc)
        else {
            members = []
            meaning = nil
            problem = row.problem
            return
        }
        problem = row.problem ?? MessageContent.text(members, "problem")
        self.members = members.filter {
            !MessageContent.known.contains($0.name) && $0.value != .null
        }
        let meaning = MessageContent.meaning(members)
        self.meaning = meaning == row.bytes || meaning?.isEmpty == true ? nil : meaning
    }

    /// Whether messages of a kind have a meaning that differs from their bytes.
    static func hasMeaning(_ kind: MessageRecord.Kind) -> Bool {
        switch kind {
        case .grpc, .event: true
        case .text, .binary, .close, .ping, .pong, .comment, .trailers, .invalid: false
        }
    }

    private static func meaning(_ members: [JSONValue.Member]) -> [UInt8]? {
        func value(_ name: String) -> JSONValue? {
            members.first { $0.name == name && $0.value != .null }?.value
        }
        if let value = value("json") ?? value("fields") {
            var bytes: [UInt8] = []
            JSONText.write(value, into: &bytes)
            return bytes
        }
        return text(members, "text").map { Array($0.utf8) }
    }

    private static func text(_ members: [JSONValue.Member], _ name: String) -> String? {
        guard case .string(let text)? = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    /// The bytes to show: the meaning, or the message as received.
    func bytes(asBytes: Bool) -> [UInt8] { asBytes ? row.bytes : meaning ?? row.bytes }

    /// Facts about these bytes, to choose a viewer.
    func facts(asBytes: Bool) -> BodyFacts {
        let bytes = bytes(asBytes: asBytes)
        let type: String? =
            switch row.kind {
            case .grpc where asBytes || meaning == nil: "application/protobuf"
            case .event where asBytes: "text/event-stream"
            case .comment, .trailers: "text/plain; charset=utf-8"
            default: nil
            }
        let facts = BodyFacts(contentType: type, bytes: bytes)
        // For a body without a type, `a=b` would be a form, but a message is text. So is a
        // WebSocket text message, whatever its bytes are.
        let isTakenForBytes = facts.kind == .binary || facts.kind.isBinary
        let isText = facts.kind == .form || row.kind == .text && isTakenForBytes
        return isText ? BodyFacts(text: bytes) : facts
    }
}
