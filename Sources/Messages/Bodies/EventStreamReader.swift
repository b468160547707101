internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Finds the events and comments in an event stream (WHATWG HTML §9.2).
struct EventStreamReader {
    private var scanner = EventStreamScanner()

    /// Whether a Content-Type value is that of an event stream.
    static func isEventStream(_ value: Span<UInt8>) -> Bool {
        let type: StaticString = "text/event-stream"
        let count = type.utf8CodeUnitCount
        guard value.count >= count, ASCII.equalsIgnoringCase(value.extracting(0..<count), type)
        else { return false }
        guard value.count > count else { return true }
        return value[count] == UInt8(ascii: ";") || value[count] == 0x20 || value[count] == 0x09
    }

    mutating func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        var offset = 0
        while let item = scanner.next(in: bytes, from: &offset) {
            tell(EventStreamReader.record(item))
        }
    }

    mutating func finish(isCutShort: Bool) -> MessageRecord? {
        guard let item = scanner.finish() else { return nil }
        var record = EventStreamReader.record(item)
        record.flags.insert(.unfinished)
        if !isCutShort, item.kind != .comment {
            record.problem = "the stream ended before the blank line, so it counts for nothing"
        }
        return record
    }

    /// Lines without data are not an event; they are reported as a comment.
    private static func record(_ item: EventStreamItem) -> MessageRecord {
        MessageRecord(
            direction: .toClient, kind: item.kind == .event ? .event : .comment,
            byteCount: item.range.upperBound &- item.range.lowerBound,
            content: .body(item.range), problem: problem(of: item))
    }

    private static func problem(of item: EventStreamItem) -> String? {
        guard item.kind == .fields, item.fields.contains(.event) else { return nil }
        return "it has no data, so it is no event"
    }
}
