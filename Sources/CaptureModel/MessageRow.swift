public import ProxydHTTPModel

/// One message of an exchange, as a store has it.
public struct MessageRow: Sendable, Hashable, Identifiable {
    /// Its number within the exchange, from 0; those of messages that were not stored are missing.
    public let position: Int64
    /// Which way it went.
    public var direction: MessageRecord.Direction
    /// What it is.
    public var kind: MessageRecord.Kind
    /// How it came.
    public var flags: MessageRecord.Flags
    /// When it was complete, in nanoseconds since 1970.
    public var atNs: Int64
    /// Its length in bytes, kept or not; of a message that was decompressed, after that.
    public var byteCount: Int64
    /// The bytes of payload it took on the wire.
    public var wireByteCount: Int64
    /// The rule that it breaks; nil where it breaks none.
    public var problem: String?
    /// The beginning of what it says, as far as it is kept and was asked for.
    public var octets: [UInt8]

    /// Where it begins in the body of its direction, the content-coding undone; nil where it is no
    /// part of a body.
    public var bodyStart: Int64?

    /// Its number.
    public var id: Int64 { position }

    /// A message.
    public init(
        position: Int64, direction: MessageRecord.Direction, kind: MessageRecord.Kind,
        flags: MessageRecord.Flags, atNs: Int64, byteCount: Int64, wireByteCount: Int64,
        problem: String?, octets: [UInt8], bodyStart: Int64? = nil
    ) {
        self.position = position
        self.direction = direction
        self.kind = kind
        self.flags = flags
        self.atNs = atNs
        self.byteCount = byteCount
        self.wireByteCount = wireByteCount
        self.problem = problem
        self.octets = octets
        self.bodyStart = bodyStart
    }
}

/// From where to where a page of messages is read.
public enum MessagePage: Sendable, Hashable {
    /// From the last one backwards, the last first.
    case newest
    /// From the first one on.
    case oldest
    /// Those in front of a position, the nearest first.
    case before(Int64)
    /// Those behind a position, the nearest first.
    case after(Int64)
    /// This one alone.
    case at(Int64)

    /// Whether positions grow from row to row.
    package var isAscending: Bool {
        switch self {
        case .oldest, .after, .at: true
        case .newest, .before: false
        }
    }
}
