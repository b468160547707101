import ProxydCaptureModel
import ProxydHTTPModel

/// Messages for the tab Messages.
enum MessageSamples {
    /// A WebSocket of a chat.
    static func socket(_ id: Int64 = 1, state: ExchangeState = .complete) -> Exchange {
        var exchange = DetailSamples.exchange(
            id, .get, "/chat", [(name: "Upgrade", value: "websocket")], status: 101,
            [(name: "Upgrade", value: "websocket")], [], state: state)
        exchange.upgradedTo = "websocket"
        return exchange
    }

    /// A message, a number of milliseconds after the start of its exchange.
    static func row(
        _ position: Int64, _ bytes: [UInt8], _ kind: MessageRecord.Kind = .text,
        toServer: Bool = false, flags: MessageRecord.Flags = [], ms: Int64? = nil,
        byteCount: Int64? = nil, wireByteCount: Int64? = nil, problem: String? = nil
    ) -> MessageRow {
        let count = byteCount ?? Int64(bytes.count)
        return MessageRow(
            position: position, direction: toServer ? .toServer : .toClient, kind: kind,
            flags: flags, atNs: DetailSamples.started + (ms ?? position * 40) * 1_000_000,
            byteCount: count, wireByteCount: wireByteCount ?? count, problem: problem,
            bytes: bytes)
    }

    static func row(
        _ position: Int64, _ text: String, _ kind: MessageRecord.Kind = .text,
        toServer: Bool = false
    ) -> MessageRow {
        row(position, Array(text.utf8), kind, toServer: toServer)
    }

    /// A number of messages that say which one they are.
    static func many(_ count: Int64, from first: Int64 = 0) -> [MessageRow] {
        (first..<first + count).map { row($0, "message \($0)", toServer: $0 % 2 == 0) }
    }

    static func close(_ position: Int64, _ code: UInt16, _ reason: String = "") -> MessageRow {
        let bytes = [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
        return row(position, bytes, .close)
    }

    /// One of each kind, sound and broken.
    static let varied: [MessageRow] = [
        row(0, #"{"op":"subscribe","channels":["orders","trades"],"id":7}"#, toServer: true),
        row(1, Array(#"{"ok":true,"id":7}"#.utf8), flags: .compressed, wireByteCount: 15),
        row(2, [], .ping),
        row(3, [], .pong, toServer: true),
        row(4, [0x08, 0x96, 0x01, 0x12, 0x03, 0x61, 0x62, 0x63], .binary),
        row(5, "日本語 👩‍💻 and a line\nand another", toServer: true),
        row(
            6, Array(repeating: 0x61, count: 100), flags: [.fragmented, .cut],
            byteCount: 5_000_000),
        row(
            7, [0x83, 0x05], .invalid, toServer: true, flags: .invalid,
            problem: "a reserved opcode (RFC 6455 §5.2)"),
        close(8, 1_001, "the page was left"),
    ]
}
