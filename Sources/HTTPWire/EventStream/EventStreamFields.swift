/// The fields of an event stream that have a meaning (WHATWG HTML §9.2.6).
public struct EventStreamFields: OptionSet, Sendable, Hashable {
    /// A bit for each.
    public let rawValue: UInt8

    /// The fields of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The event's type.
    public static let event = EventStreamFields(rawValue: 1)
    /// A line of its data.
    public static let data = EventStreamFields(rawValue: 2)
    /// What the client says as Last-Event-ID when it comes back.
    public static let id = EventStreamFields(rawValue: 4)
    /// How long the client waits before it comes back.
    public static let retry = EventStreamFields(rawValue: 8)
}

extension EventStreamFields {
    /// The longest of their names, in bytes.
    static let nameByteCountMax = 5

    /// What packing a name starts with, so that a NUL in front of it is not lost.
    static let nothingPacked: UInt64 = 1

    /// The field of a name whose bytes are packed in a number behind `nothingPacked`, the first one
    /// highest; nothing for any other name. Names are compared as they are: `Data` is none.
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
