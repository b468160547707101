/// Reads the events of an event stream for a client (WHATWG HTML §9.2.6), in whatever pieces it
/// comes. It holds the bytes of one unfinished event.
public struct EventStreamDecoder: Sendable {
    /// Why a stream cannot be read on.
    public enum Failure: Error, Sendable, Hashable {
        /// An event has more bytes than the limit.
        case eventTooLarge(byteCountMax: Int)
    }

    private let eventByteCountMax: Int
    private var scanner = EventStreamScanner()
    /// The bytes of the stream from `heldStart` on that are still needed.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    /// What to send as Last-Event-ID when the stream is asked for again; empty where nothing.
    public private(set) var lastEventID = ""
    /// How long to wait before asking again, in milliseconds; nil where the server did not say.
    public private(set) var retryMs: Int64?

    /// A stream of events that have `eventByteCountMax` bytes at most, 16 MiB unless told
    /// otherwise, comments in them included. The ID carries over from the connection before.
    public init(eventByteCountMax: Int = 16 << 20, lastEventID: String = "") {
        self.eventByteCountMax = eventByteCountMax
        self.lastEventID = lastEventID
    }

    /// Takes the next bytes of the stream, and appends the events that end in them. Of each, `id`
    /// is the last event ID as it then is (nil where none is set), as a `MessageEvent` has it.
    /// - Throws: where an event is too large; those before it were appended.
    public mutating func receive(
        _ bytes: Span<UInt8>, into events: inout [ServerSentEvent]
    ) throws(Failure) {
        var offset = held.count
        bytes.withUnsafeBufferPointer { held.append(contentsOf: $0) }
        var scanner = scanner
        defer { self.scanner = scanner }
        while let item = scanner.next(in: held.span, from: &offset) {
            try take(item, into: &events)
        }
        let done = min(held.count, Int(clamping: scanner.unfinishedStart &- heldStart))
        if done > 0 {
            held.removeFirst(done)
            heldStart &+= Int64(done)
        }
        guard held.count <= eventByteCountMax else { throw tooLarge }
    }

    /// The stream has ended: an event that it left unfinished is none, but a `retry` in it counts.
    public mutating func finish() {
        guard let item = scanner.finish(), item.kind != .comment,
            let last = held.lastIndex(where: { $0 == 0x0A || $0 == 0x0D })
        else { return }
        retryMs = ServerSentEvent(lines: held.span.extracting(0..<last)).retryMs ?? retryMs
        held = []
    }

    private var tooLarge: Failure { .eventTooLarge(byteCountMax: eventByteCountMax) }

    private mutating func take(
        _ item: EventStreamItem, into events: inout [ServerSentEvent]
    ) throws(Failure) {
        guard item.kind != .comment else { return }
        let start = Int(clamping: item.range.lowerBound &- heldStart)
        let end = Int(clamping: item.range.upperBound &- heldStart)
        guard start >= 0, start <= end, end <= held.count else { return }
        guard end &- start <= eventByteCountMax else { throw tooLarge }
        var event = ServerSentEvent(lines: held.span.extracting(start..<end))
        if let id = event.id { lastEventID = id }
        if let retry = event.retryMs { retryMs = retry }
        event.id = lastEventID.isEmpty ? nil : lastEventID
        if item.kind == .event { events.append(event) }
    }
}
