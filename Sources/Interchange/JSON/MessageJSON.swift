internal import ProxydCivilTime
public import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydParameterCoding

/// A message as `messages --json` prints it: these members in this order, absent ones left out
/// behind `bytes`.
public enum MessageJSON {
    /// The object of a message. Those of gRPC are read where somebody can.
    public static func value(_ message: MessageRow, grpc: GRPCReading? = nil) -> JSONValue {
        .members(members(message, grpc))
    }

    private static func members(
        _ message: MessageRow, _ grpc: GRPCReading?
    ) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("position", .integer(message.position)),
            ("at", .string(RFC3339.text(nanoseconds: message.atNs))),
            ("direction", .string(message.direction.name)),
            ("kind", .string(message.kind.name)),
            ("bytes", .integer(message.byteCount)),
        ]
        let read = message.kind == .grpc ? grpc?.members(of: message) : nil
        members += read ?? content(message)
        let names = Set((read ?? []).map(\.0))
        members += flags(message).filter { !names.contains($0.0) }
        return members
    }

    private static func content(_ message: MessageRow) -> [(String, JSONValue)] {
        switch message.kind {
        case .close:
            guard message.octets.count >= 2 else { return [("code", .null), ("reason", .null)] }
            let code = Int64(message.octets[0]) << 8 | Int64(message.octets[1])
            let reason = String(decoding: message.octets.dropFirst(2), as: UTF8.self)
            return [("code", .integer(code)), ("reason", .string(reason))]
        case .event, .comment: return eventContent(message)
        default: return [text(message.octets)]
        }
    }

    /// Of an event, null where it has no such field, and the data as `text`. Lines without data are
    /// kept as they are; a comment is its text.
    private static func eventContent(_ message: MessageRow) -> [(String, JSONValue)] {
        let event = ServerSentEvent(lines: message.octets.span)
        let isEvent = message.kind == .event
        if !isEvent, !event.setsAnything, let comment = event.comment {
            return [("text", .string(comment))]
        }
        return [
            ("event", .text(event.event)), ("id", .text(event.id)),
            ("retry", .integer(event.retryMs)),
            text(isEvent ? event.data ?? [] : message.octets),
        ]
    }

    /// `text` where the bytes are UTF-8, else `base64`.
    private static func text(_ octets: [UInt8]) -> (String, JSONValue) {
        if let text = String(validating: octets, as: UTF8.self) { return ("text", .string(text)) }
        return ("base64", .string(Base64.text(octets)))
    }

    private static func flags(_ message: MessageRow) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        let names: [(MessageRecord.Flags, String)] = [
            (.compressed, "compressed"), (.fragmented, "fragmented"), (.cut, "cut"),
            (.unfinished, "unfinished"), (.stillCompressed, "still_compressed"),
        ]
        for (flag, name) in names where message.flags.contains(flag) {
            members.append((name, .bool(true)))
        }
        if let problem = message.problem { members.append(("problem", .string(problem))) }
        return members
    }
}
