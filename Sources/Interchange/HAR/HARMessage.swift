internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A WebSocket message as Chrome's developer tools write it, an element of `_webSocketMessages`:
/// `type`, `time`, `opcode` and `data`, which is text or base64. Details that Chrome does not
/// record follow, if they differ from the default.
enum HARMessage {
    static let memberName = "_webSocketMessages"

    /// The element; nil for messages that do not belong to a WebSocket.
    static func value(_ message: ExportedMessage, _ exchange: ExchangeRow) -> JSONValue? {
        let row = message.row
        guard isOfWebSocket(row.kind) else { return nil }
        var members: [(String, JSONValue)] = [
            ("type", .string(row.direction == .toServer ? "send" : "receive")),
            ("time", seconds(row.atNs)), ("opcode", .integer(row.kind.rawValue)),
        ]
        let text = row.kind == .text ? String(validating: row.bytes, as: UTF8.self) : nil
        members.append(("data", .string(text ?? Base64.text(row.bytes))))
        if row.kind == .text, text == nil { members.append(("_encoding", .string("base64"))) }
        members.append(("_offset_ns", .integer(row.atNs &- exchange.startedAtNs)))
        if row.byteCount != Int64(row.bytes.count) {
            members.append(("_bytes", .integer(row.byteCount)))
        }
        if row.wireByteCount != row.byteCount {
            members.append(("_wire_bytes", .integer(row.wireByteCount)))
        }
        if !row.flags.isEmpty { members.append(("_flags", .integer(row.flags.rawValue))) }
        if let problem = row.problem { members.append(("_problem", .string(problem))) }
        if message.isLeftOut { members.append(("_left_out", .bool(true))) }
        return .members(members)
    }

    static func isOfWebSocket(_ kind: MessageRecord.Kind) -> Bool {
        switch kind {
        case .text, .binary, .close, .ping, .pong: true
        case .grpc, .trailers, .event, .comment, .invalid: false
        }
    }

    /// Seconds since 1970, with microsecond precision.
    private static func seconds(_ nanoseconds: Int64) -> JSONValue {
        let micros = max(0, nanoseconds) / 1_000
        let fraction = String(micros % 1_000_000)
        let padded = String(repeating: "0", count: 6 - fraction.count) + fraction
        return .number("\(micros / 1_000_000).\(padded)")
    }
}
