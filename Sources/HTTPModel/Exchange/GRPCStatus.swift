/// The status of a gRPC call: the number in `grpc-status` (gRPC's doc/statuscodes.md). Undefined
/// numbers are kept as they came.
public struct GRPCStatus: Sendable, Hashable, CustomStringConvertible {
    /// The number on the wire.
    public let number: Int64

    /// Creates a status from its number.
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
        guard let place = GRPCStatus.names.firstIndex(of: name == "CANCELED" ? "CANCELLED" : name)
        else { return nil }
        self.init(Int64(place))
    }

    /// Whether the number has a name.
    public var isDefined: Bool { number >= 0 && number < GRPCStatus.names.count }

    /// The name, such as `NOT_FOUND`; the number if it has none.
    public var name: String { isDefined ? GRPCStatus.names[Int(number)] : String(number) }

    /// The number and the name, such as `5 NOT_FOUND`; only the number if it has no name.
    public var description: String { isDefined ? "\(number) \(name)" : String(number) }

    /// Decodes the percent-encoding of `grpc-message` ("Responses" in PROTOCOL-HTTP2.md). A `%`
    /// without two hexadecimal digits is kept, and invalid UTF-8 becomes U+FFFD: a message is never
    /// dropped. The text may contain control characters.
    public static func message(of value: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(value.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(digit),
                let low = rest.dropFirst().first.flatMap(digit)
            {
                bytes.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
