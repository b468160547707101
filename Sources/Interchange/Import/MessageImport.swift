internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads messages from exports of this program and of others.
enum MessageImport {
    /// The member that marks a line as a message: the number of its exchange.
    static let exchangeName = "message_of"
    /// An upper bound for the position of a message in its exchange.
    private static let positionMax: Int64 = 1 << 28 - 1
    /// The maximum offset from the start of an exchange: a hundred years.
    private static let offsetNsMax: Int64 = 100 * 366 * 86_400 * 1_000_000_000

    /// Reads a line of an export.
    static func line(_ value: JSONValue, startedAtNs: Int64) throws(ImportProblem) -> MessageRecord
    {
        let kind = MessageRecord.Kind.allCases.first { $0.name == value["kind"]?.text }
        let direction = MessageRecord.Direction.allCases.first {
            $0.name == value["direction"]?.text
        }
        guard let kind, let direction else {
            throw ImportProblem("its message has no kind or direction")
        }
        guard let position = value["position"]?.integer, (0...positionMax).contains(position)
        else { throw ImportProblem("its message has no position") }
        let at = value["at"]?.text.flatMap { RFC3339.nanoseconds($0) }
        let bytes = try bytes(value)
        let byteCount = count(value["bytes"]) ?? Int64(bytes.count)
        var content = MessageRecord.Content.bytes(bytes)
        if let start = count(value["body_start"]) { content = .body(start..<start + byteCount) }
        return MessageRecord(
            position: position, direction: direction, kind: kind,
            flags: MessageRecord.Flags(rawValue: value["flags"]?.integer ?? 0),
            offsetNs: try offset(
                value["offset_ns"]?.integer ?? max(0, (at ?? startedAtNs) &- startedAtNs)),
            byteCount: byteCount, wireByteCount: count(value["wire_bytes"]), content: content,
            problem: value["problem"]?.text)
    }

    private static func bytes(_ value: JSONValue) throws(ImportProblem) -> [UInt8] {
        // For events and closing frames the other members do not contain all bytes.
        if let base64 = value["base64"]?.text {
            guard let bytes = Base64.bytes(base64) else {
                throw ImportProblem("its message is not base64")
            }
            return bytes
        }
        if let text = value["text"]?.text { return Array(text.utf8) }
        guard let code = value["code"]?.integer, (0...0xFFFF).contains(code) else { return [] }
        let bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        return bytes + Array((value["reason"]?.text ?? "").utf8)
    }

    /// Reads an element of `_webSocketMessages`.
    static func element(
        _ value: JSONValue, position: Int64, startedAtNs: Int64
    ) throws(ImportProblem) -> MessageRecord {
        let isSent: Bool
        switch value["type"]?.text {
        case "error"?: return try failure(value, position: position, startedAtNs: startedAtNs)
        case "send"?, "request"?: isSent = true
        case "receive"?, "response"?: isSent = false
        default: throw ImportProblem("its message \(position + 1) was neither sent nor received")
        }
        let opcode = value["opcode"]?.integer.flatMap(MessageRecord.Kind.init(rawValue:))
        let kind = opcode.flatMap { HARMessage.isOfWebSocket($0) ? $0 : nil } ?? .text
        let data = value["data"]?.text ?? ""
        let isText = kind == .text && value["_encoding"]?.text != "base64"
        // Some programs write the bytes of other frames as text; they are accepted as such.
        let bytes = isText ? Array(data.utf8) : Base64.bytes(data) ?? Array(data.utf8)
        let byteCount = count(value["_bytes"]) ?? Int64(bytes.count)
        return MessageRecord(
            position: position, direction: isSent ? .toServer : .toClient, kind: kind,
            flags: MessageRecord.Flags(rawValue: value["_flags"]?.integer ?? 0),
            offsetNs: try offset(
                value["_offset_ns"]?.integer ?? offset(value["time"], startedAtNs)),
            byteCount: byteCount, wireByteCount: count(value["_wire_bytes"]),
            content: .bytes(bytes), problem: value["_problem"]?.text)
    }

    /// Chrome writes why a WebSocket failed in the place of a message.
    private static func failure(
        _ value: JSONValue, position: Int64, startedAtNs: Int64
    ) throws(ImportProblem) -> MessageRecord {
        MessageRecord(
            position: position, direction: .toClient, kind: .invalid,
            offsetNs: try offset(offset(value["time"], startedAtNs)), byteCount: 0,
            content: .bytes([]), problem: String((value["data"]?.text ?? "error").prefix(200)))
    }

    /// Checks that an offset from the start is in the valid range.
    private static func offset(_ nanoseconds: Int64) throws(ImportProblem) -> Int64 {
        guard (0...offsetNsMax).contains(nanoseconds) else {
            throw ImportProblem("its message has an impossible time")
        }
        return nanoseconds
    }

    /// A count, or nil if it is out of range.
    private static func count(_ value: JSONValue?) -> Int64? {
        value?.integer.flatMap { (0...Body.byteCountMax).contains($0) ? $0 : nil }
    }

    /// Converts seconds since 1970 to nanoseconds after a start.
    private static func offset(_ seconds: JSONValue?, _ startedAtNs: Int64) -> Int64 {
        guard let seconds = seconds?.number, seconds >= 0, seconds < 9e9 else { return 0 }
        return max(0, Nanoseconds.clamping(microseconds: Int64(seconds * 1e6)) &- startedAtNs)
    }
}
