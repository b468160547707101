/// Why a stream was reset or a connection ended (RFC 9113 §7). Undefined codes are kept as they
/// came.
public struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, Codable,
    CustomStringConvertible
{
    /// The code on the wire.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let noError = HTTP2ErrorCode(rawValue: 0)
    /// The peer broke a rule.
    public static let protocolError = HTTP2ErrorCode(rawValue: 1)
    public static let internalError = HTTP2ErrorCode(rawValue: 2)
    /// The peer exceeded its flow-control window.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    /// Settings were not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
    /// A frame arrived for a stream that its sender had ended.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    /// A frame has a size that its type does not allow.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    /// The request was not processed: it may be sent again.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    /// The stream is no longer needed.
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    /// A field section could not be decompressed.
    public static let compressionError = HTTP2ErrorCode(rawValue: 9)
    /// The connection of a CONNECT broke.
    public static let connectError = HTTP2ErrorCode(rawValue: 10)
    /// The peer causes excessive load.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    /// TLS does not meet the requirements of RFC 9113 §9.2.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
    public static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The number of codes with a name; they start at 0.
    public static var namedCount: UInt32 { UInt32(clamping: names.count) }

    /// Creates a code from its name in RFC 9113, ignoring case; nil for unknown names.
    public init?(name: String) {
        guard let index = HTTP2ErrorCode.names.firstIndex(of: name.uppercased()) else { return nil }
        self.init(rawValue: UInt32(truncatingIfNeeded: index))
    }

    /// The name in RFC 9113; the number if it has none.
    public var description: String {
        rawValue < HTTP2ErrorCode.names.count
            ? HTTP2ErrorCode.names[Int(rawValue)] : String(rawValue)
    }
}

/// Why a WebSocket was closed: the code in a close frame (RFC 6455 §7.4 and its registry). Codes
/// that must not be sent have names too, because broken peers send them.
public struct WebSocketCloseCode: Sendable, Hashable {
    public let number: UInt16

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

/// The status of a gRPC call: the number in `grpc-status` (gRPC's doc/statuscodes.md). Undefined
/// numbers are kept as received.
public struct GRPCStatus: Sendable, Hashable, CustomStringConvertible {
    public let number: Int64

    public init(_ number: Int64) { self.number = number }

    private static let names = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]

    /// All statuses with a name, starting with `OK` (0).
    public static let defined = names.indices.map { GRPCStatus(Int64($0)) }

    /// Creates a status from its name, ignoring case; accepts `CANCELED` too. Nil for unknown
    /// names.
    public init?(name: String) {
        let name = name.uppercased()
        guard let index = GRPCStatus.names.firstIndex(of: name == "CANCELED" ? "CANCELLED" : name)
        else { return nil }
        self.init(Int64(index))
    }

    public var isDefined: Bool { number >= 0 && number < GRPCStatus.names.count }

    /// The name, such as `NOT_FOUND`; the number if it has none.
    public var name: String { isDefined ? GRPCStatus.names[Int(number)] : String(number) }

    /// The number and the name, such as `5 NOT_FOUND`; only the number if it has no name.
    public var description: String { isDefined ? "\(number) \(name)" : String(number) }

    /// Decodes the percent-encoding of `grpc-message` ("Responses" in PROTOCOL-HTTP2.md). A `%`
    /// without two hexadecimal digits is kept, and invalid UTF-8 becomes U+FFFD: a message is never
    /// dropped. The text may contain control characters.
    public static func message(of value: String) -> String {
        String(decoding: PercentEncoding.decoded(value.utf8).bytes, as: UTF8.self)
    }
}
