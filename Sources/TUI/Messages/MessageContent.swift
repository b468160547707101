internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// One message with all that is kept of it, and what it means.
struct MessageContent: Sendable {
    let row: MessageRow
    /// What is known of it beside what every message has: an event's name, a call's method.
    let members: [JSONValue.Member]
    /// What its bytes mean where that is something else: an event's data, a call's message as
    /// JSON; nil where they mean what they are.
    let meaning: [UInt8]?
    /// The rule that it breaks, or why it cannot be read; nil where all is well.
    let problem: String?

    /// Members that every message has, or that are shown by other means.
    private static let known: Set<String> = [
        "position", "at", "direction", "kind", "bytes", "text", "base64", "json", "fields",
        "code", "reason", "compressed", "fragmented", "cut", "unfinished", "problem",
    ]

    /// A message; `grpc` says how those of gRPC are read.
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
        self.meaning = meaning == row.octets || meaning?.isEmpty == true ? nil : meaning
    }

    /// Whether messages of a kind mean something else than they say.
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
            var octets: [UInt8] = []
            JSONText.write(value, into: &octets)
            return octets
        }
        return text(members, "text").map { Array($0.utf8) }
    }

    private static func text(_ members: [JSONValue.Member], _ name: String) -> String? {
        guard case .string(let text)? = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    /// The bytes that are shown: what they mean, or as they came.
    func octets(asBytes: Bool) -> [UInt8] { asBytes ? row.octets : meaning ?? row.octets }

    /// What is known of these bytes, to choose a viewer by.
    func facts(asBytes: Bool) -> BodyFacts {
        let octets = octets(asBytes: asBytes)
        let type: String? =
            switch row.kind {
            case .grpc where asBytes || meaning == nil: "application/protobuf"
            case .event where asBytes: "text/event-stream"
            case .comment, .trailers: "text/plain; charset=utf-8"
            default: nil
            }
        let facts = BodyFacts(contentType: type, octets: octets)
        // `a=b` is a form where a body says nothing else; a message is a text. So is what a socket
        // calls one, whatever bytes are in it.
        let isTakenForBytes = facts.kind == .binary || facts.kind.isBinary
        let isText = facts.kind == .form || row.kind == .text && isTakenForBytes
        return isText ? BodyFacts(text: octets) : facts
    }
}
