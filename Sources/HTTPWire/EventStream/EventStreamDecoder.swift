/// Decodes the events of an event stream for a client (WHATWG HTML §9.2.6), in pieces of any size.
/// It stores the bytes of at most one unfinished event.
public struct EventStreamDecoder: Sendable {
    /// Why a stream cannot be decoded further.
    public enum Failure: Error, Sendable, Hashable {
        /// An event is larger than the limit.
        case eventTooLarge(byteCountMax: Int)
    }

    private let eventByteCountMax: Int
    private var scanner = EventStreamScanner()
    /// The bytes of the stream from `heldStart` on that are still needed.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    /// The Last-Event-ID to send when the stream is requested again; empty for none.
    public private(set) var lastEventID = ""
    /// How long to wait before reconnecting, in milliseconds; nil if the server did not set it.
    public private(set) var retryMs: Int64?

    /// Creates a decoder for events of at most `eventByteCountMax` bytes, including comments; 16
    /// MiB by default. `lastEventID` is that of the previous connection.
    public init(eventByteCountMax: Int = 16 << 20, lastEventID: String = "") {
        self.eventByteCountMax = eventByteCountMax
        self.lastEventID = lastEventID
    }

    /// Takes the next bytes of the stream, and appends the events that end in them. The `id` of
    /// each is the current last event ID (nil if none is set), as in a `MessageEvent`.
    /// - Throws: if an event is too large; earlier ones have been appended.
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

    /// The stream has ended: an unfinished event is dropped, but a `retry` in it takes effect.
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
