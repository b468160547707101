public import ProxydCaptureModel
public import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire

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
