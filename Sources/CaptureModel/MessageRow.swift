public import ProxydFilter
public import ProxydHTTPModel

/// A stored message of an exchange.
public struct MessageRow: Sendable, Hashable, Identifiable {
    /// The index of the message in its exchange, from 0. Messages that were not stored leave gaps.
    public let position: Int64
    public var direction: MessageRecord.Direction
    public var kind: MessageRecord.Kind
    public var flags: MessageRecord.Flags
    /// The time when the message was complete, in nanoseconds since 1970.
    public var atNs: Int64
    /// The length in bytes, stored or not; for a compressed message, after decompression.
    public var byteCount: Int64
    /// The number of payload bytes on the wire.
    public var wireByteCount: Int64
    /// The protocol rule that the message violates, or nil if it is valid.
    public var problem: String?
    /// The start of the contents, as far as they are stored and were requested.
    public var bytes: [UInt8]

    /// The offset at which the message starts in the body of its direction, with content codings
    /// removed; nil if it is not part of a body.
    public var bodyStart: Int64?

    public var id: Int64 { position }

    public init(
        position: Int64, direction: MessageRecord.Direction, kind: MessageRecord.Kind,
        flags: MessageRecord.Flags, atNs: Int64, byteCount: Int64, wireByteCount: Int64,
        problem: String?, bytes: [UInt8], bodyStart: Int64? = nil
    ) {
        self.position = position
        self.direction = direction
        self.kind = kind
        self.flags = flags
        self.atNs = atNs
        self.byteCount = byteCount
        self.wireByteCount = wireByteCount
        self.problem = problem
        self.bytes = bytes
        self.bodyStart = bodyStart
    }
}

/// Which messages a page contains, and in which order.
public enum MessagePage: Sendable, Hashable {
    /// The last messages, last first.
    case newest
    /// The first messages, first first.
    case oldest
    /// The messages before a position, nearest first.
    case before(Int64)
    /// The messages after a position, nearest first.
    case after(Int64)
    /// Only the message at a position.
    case at(Int64)

    /// Whether positions increase from row to row.
    package var isAscending: Bool {
        switch self {
        case .oldest, .after, .at: true
        case .newest, .before: false
        }
    }

    /// The positions that it may contain, in a store where `last` is the highest; none if `first`
    /// is above `last`.
    package func positions(upTo last: Int64) -> (first: Int64, last: Int64) {
        switch self {
        case .newest, .oldest: (0, last)
        case .before(let position): (0, max(position, 0) - 1)
        case .after(let position): (min(position, last).addingClamped(1), last)
        case .at(let position): (position, position)
        }
    }
}

/// Message filters test stored messages as far as their bytes were read.
extension MessageRow: MessageFilterSubject {}

extension ExchangeReading {
    /// Passes the messages of an exchange after a position to the closure, oldest first and page by
    /// page, until it returns false; returns the position of the last message. Pages are sized to
    /// contain a few MiB of contents. No read is open while the closure runs.
    /// - Parameter byteCountMax: The maximum number of bytes read of each message.
    @discardableResult
    public func forEachMessagePage(
        of id: ExchangeID, after position: Int64 = -1, byteCountMax: Int,
        _ body: ([MessageRow]) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int64 {
        var last = position
        var limit = messagePageCountMin
        while true {
            let page = try messages(of: id, .after(last), limit: limit, byteCountMax: byteCountMax)
            guard let end = page.last else { return last }
            last = end.position
            guard try body(page) else { return last }
            let byteCount = page.reduce(0) { $0 + $1.bytes.count }
            if byteCount > messagePageByteCountMax {
                limit = max(messagePageCountMin, limit / 4)
            } else if byteCount < messagePageByteCountMax / 4 {
                limit = min(messagePageCountMax, limit * 4)
            }
        }
    }
}

/// The size of the first page, and of pages of long messages.
private let messagePageCountMin = 16
private let messagePageCountMax = 4_096
/// The target size of a page's contents in bytes.
private let messagePageByteCountMax = 4 << 20
