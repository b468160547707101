public import ProxydCaptureModel
internal import ProxydCivilTime
public import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydParameterCoding

/// A message as `messages --json` prints it: these members in this order; absent ones after `bytes`
/// are left out.
public enum MessageJSON {
    /// The object for a message. gRPC messages are decoded if a reader is given.
    /// - Parameter withBytes: Whether a decoded gRPC message also has its bytes, as `base64`;
    ///   decompressed if that is possible.
    public static func value(
        _ message: MessageRow, grpc: GRPCReading? = nil, withBytes: Bool = false
    ) -> JSONValue {
        var members = members(message, grpc)
        if withBytes, message.kind == .grpc, !members.contains(where: { $0.0 == "base64" }) {
            let bytes = grpc?.bytes(of: message) ?? message.bytes
            members.append(("base64", .string(Base64.text(bytes))))
        }
        return .members(members)
    }

    /// A line of an export: `message_of`, the members of `messages --json`, and those that make an
    /// imported message equal to it. The content of a message that is a part of a body appears only
    /// in the body.
    static func exported(_ message: ExportedMessage, of exchange: ExchangeRow) -> JSONValue {
        let row = message.row
        var members = [("message_of", ExchangeNameJSON.value(exchange.id, in: exchange.storeName))]
        members += head(row)
        if let start = row.bodyStart {
            members.append(("body_start", .integer(start)))
        } else {
            members += content(row)
            if !saysAll(row.kind) { members.append(("base64", .string(Base64.text(row.bytes)))) }
        }
        members += flags(row)
        members += [
            ("offset_ns", .integer(row.atNs &- exchange.startedAtNs)),
            ("wire_bytes", .integer(row.wireByteCount)), ("flags", .integer(row.flags.rawValue)),
        ]
        if message.isLeftOut { members.append(("left_out", .bool(true))) }
        return .members(members)
    }

    /// Whether the members of a kind contain all its bytes.
    private static func saysAll(_ kind: MessageRecord.Kind) -> Bool {
        switch kind {
        case .close, .event, .comment: false
        case .text, .binary, .ping, .pong, .grpc, .trailers, .invalid: true
        }
    }

    private static func members(
        _ message: MessageRow, _ grpc: GRPCReading?
    ) -> [(String, JSONValue)] {
        let read = message.kind == .grpc ? grpc?.members(of: message) : nil
        let names = Set((read ?? []).map(\.0))
        return head(message) + (read ?? content(message))
            + flags(message).filter { !names.contains($0.0) }
    }

    private static func head(_ message: MessageRow) -> [(String, JSONValue)] {
        [
            ("position", .integer(message.position)),
            ("at", .string(RFC3339.text(nanoseconds: message.atNs))),
            ("direction", .string(message.direction.name)),
            ("kind", .string(message.kind.name)),
            ("bytes", .integer(message.byteCount)),
        ]
    }

    private static func content(_ message: MessageRow) -> [(String, JSONValue)] {
        switch message.kind {
        case .close:
            guard message.bytes.count >= 2 else { return [("code", .null), ("reason", .null)] }
            let code = Int64(message.bytes[0]) << 8 | Int64(message.bytes[1])
            let reason = String(decoding: message.bytes.dropFirst(2), as: UTF8.self)
            return [("code", .integer(code)), ("reason", .string(reason))]
        case .event, .comment: return eventContent(message)
        default: return [text(message.bytes)]
        }
    }

    /// The fields of an event, null if absent, and the data as `text`. Lines without data are kept
    /// unchanged; a comment is written as its text.
    private static func eventContent(_ message: MessageRow) -> [(String, JSONValue)] {
        let event = ServerSentEvent(lines: message.bytes.span)
        let isEvent = message.kind == .event
        if !isEvent, !event.setsAnything, let comment = event.comment {
            return [("text", .string(comment))]
        }
        return [
            ("event", .text(event.event)), ("id", .text(event.id)),
            ("retry", .integer(event.retryMs)),
            text(isEvent ? event.data ?? [] : message.bytes),
        ]
    }

    /// `text` if the bytes are UTF-8; otherwise `base64`.
    private static func text(_ bytes: [UInt8]) -> (String, JSONValue) {
        if let text = String(validating: bytes, as: UTF8.self) { return ("text", .string(text)) }
        return ("base64", .string(Base64.text(bytes)))
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

/// Formats the content of a message on one line.
public enum MessageText {
    /// The text of the message; a gRPC message is decoded if a reader is given; binary data is
    /// written in hexadecimal. The result is not escaped for a terminal.
    public static func line(
        of message: MessageRow, byteCountMax: Int, grpc: GRPCReading? = nil
    ) -> String {
        if message.kind == .grpc, let line = grpc?.line(of: message) {
            return String(line.prefix(byteCountMax))
        }
        let bytes = message.bytes.prefix(byteCountMax)
        switch message.kind {
        case .close where bytes.count >= 2:
            let code = Int(bytes[bytes.startIndex]) << 8 | Int(bytes[bytes.startIndex + 1])
            return "\(code) " + String(decoding: bytes.dropFirst(2), as: UTF8.self)
        case .event, .comment: return eventLine(of: bytes)
        default:
            // The message may have been truncated within a character.
            for cut in 0...3 {
                let text = String(validating: bytes.dropLast(cut), as: UTF8.self)
                if let text, cut == 0 || bytes.count < message.byteCount { return text }
            }
            return bytes.prefix(64).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined(separator: " ")
        }
    }

    /// The type, data and ID of an event, or a comment.
    private static func eventLine(of lines: ArraySlice<UInt8>) -> String {
        let event = ServerSentEvent(lines: lines.span)
        if event.data == nil, !event.setsAnything, let comment = event.comment { return comment }
        guard event.data != nil else { return String(decoding: lines, as: UTF8.self) }
        let type = event.event.map { $0 + "  " } ?? ""
        let id = event.id.map { "  (id \($0))" } ?? ""
        return type + event.text + id
    }
}
