/// The fields of an event stream that have a meaning (WHATWG HTML §9.2.6).
public struct EventStreamFields: OptionSet, Sendable, Hashable {
    /// The fields as bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The event's type.
    public static let event = EventStreamFields(rawValue: 1)
    /// A line of the event's data.
    public static let data = EventStreamFields(rawValue: 2)
    /// The value for Last-Event-ID when the client reconnects.
    public static let id = EventStreamFields(rawValue: 4)
    /// How long the client waits before it reconnects.
    public static let retry = EventStreamFields(rawValue: 8)
}

extension EventStreamFields {
    /// The length of the longest field name, in bytes.
    static let nameByteCountMax = 5

    /// The initial value of a packed name, so that leading NUL bytes are not lost.
    static let nothingPacked: UInt64 = 1

    /// Returns the field whose name is packed in a number after `nothingPacked`, the first byte
    /// most significant; empty for any other name. Names are case-sensitive: `Data` is unknown.
    static func named(_ packed: UInt64) -> EventStreamFields {
        switch packed {
        case 0x01_65_76_65_6E_74: .event
        case 0x01_64_61_74_61: .data
        case 0x01_69_64: .id
        case 0x01_72_65_74_72_79: .retry
        default: []
        }
    }
}
