internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// Reads the messages of a WebSocket that mitmproxy saved: the opcode, whether the client sent it,
/// the content, the time, and whether it was dropped or made by mitmproxy.
enum FlowMessages {
    static func forEach(
        in socket: FlowValue.Members, _ startedAt: Int64,
        _ take: (MessageRecord) throws -> Void
    ) throws {
        var position: Int64 = 0
        try socket["messages"]?.forEach { value in
            try take(try message(try value.elements(), position, startedAt))
            position += 1
        }
        guard let code = socket["close_code"]?.integer, (0...0xFFFF).contains(code) else { return }
        // 1005 and 1006 say that there was no close frame with a code (RFC 6455 §7.4.1).
        guard code != 1_005, code != 1_006 else { return }
        let reason = socket["close_reason"]?.bytes.map { Array($0.prefix(123)) } ?? []
        let bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        try take(
            MessageRecord(
                position: position,
                direction: socket["closed_by_client"]?.bool == true ? .toServer : .toClient,
                kind: .close, offsetNs: offset(socket["timestamp_end"], startedAt),
                byteCount: Int64(bytes.count + reason.count), content: .bytes(bytes + reason)))
    }

    private static func message(
        _ parts: [FlowValue], _ position: Int64, _ startedAt: Int64
    ) throws(ImportProblem) -> MessageRecord {
        guard parts.count >= 4, let fromClient = parts[1].bool, let content = parts[2].bytes,
            let kind = parts[0].integer.flatMap(MessageRecord.Kind.init(rawValue:)),
            kind == .text || kind == .binary
        else { throw ImportProblem("its message \(position + 1) cannot be read") }
        var message = MessageRecord(
            position: position, direction: fromClient ? .toServer : .toClient, kind: kind,
            offsetNs: offset(parts[3], startedAt), byteCount: Int64(content.count),
            content: .bytes(Array(content)))
        if parts.count > 4, parts[4].bool == true { message.problem = "mitmproxy dropped it" }
        if parts.count > 5, parts[5].bool == true { message.problem = "mitmproxy injected it" }
        return message
    }

    private static func offset(_ time: FlowValue?, _ startedAt: Int64) -> Int64 {
        max(0, (time?.nanoseconds ?? startedAt) - startedAt)
    }
}
