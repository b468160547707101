/// Why a WebSocket was closed: the code in a close frame (RFC 6455 §7.4 and its registry). Codes
/// that must not be sent have names too, because broken peers send them.
public struct WebSocketCloseCode: Sendable, Hashable {
    /// The code on the wire.
    public let number: UInt16

    /// Creates a close code from its number.
    public init(_ number: UInt16) { self.number = number }

    /// Reads the code from the payload of a close frame; nil if the payload has none.
    public init?(payload: some Sequence<UInt8>) {
        var bytes = payload.makeIterator()
        guard let high = bytes.next(), let low = bytes.next() else { return nil }
        number = UInt16(high) << 8 | UInt16(low)
    }

    /// The meaning of the code, such as `going away`; nil for undefined codes.
    public var name: String? {
        switch number {
        case 1_000: "normal closure"
        case 1_001: "going away"
        case 1_002: "protocol error"
        case 1_003: "unsupported data"
        case 1_004: "reserved"
        case 1_005: "no status received"
        case 1_006: "abnormal closure"
        case 1_007: "invalid payload data"
        case 1_008: "policy violation"
        case 1_009: "message too big"
        case 1_010: "extension missing"
        case 1_011: "internal error"
        case 1_012: "service restart"
        case 1_013: "try again later"
        case 1_014: "bad gateway"
        case 1_015: "TLS handshake failed"
        case 3_000: "unauthorized"
        case 3_003: "forbidden"
        case 3_008: "timeout"
        case 3_000...3_999: "registered by a library"
        case 4_000...4_999: "private use"
        default: nil
        }
    }

    /// Whether it reports a normal end.
    public var isOrderly: Bool { number == 1_000 || number == 1_001 }
}

extension WebSocketCloseCode: CustomStringConvertible {
    /// The number and the meaning, such as `1001 going away`; only the number for undefined codes.
    public var description: String { name.map { "\(number) \($0)" } ?? "\(number)" }
}
