/// The contents of an event's lines (WHATWG HTML §9.2.6).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event type, from the last `event` field; nil if there is none or it is empty, which
    /// means `message`.
    public var event: String?
    /// The data lines joined with LF; nil if there are none, in which case it is not an event. It
    /// is UTF-8 if the server complies with the standard.
    public var data: [UInt8]?
    /// The new last event ID; an empty one resets it. Nil if the event does not set it.
    public var id: String?
    /// How long to wait before reconnecting, in milliseconds; nil if the event does not set it.
    public var retryMs: Int64?
    /// The comments joined with LF; nil if there are none.
    public var comment: String?

    /// Creates an event without contents.
    public init() {}

    /// Parses lines that end in CR, LF or CR LF; the last one may lack its end. Unknown fields, an
    /// `id` that contains NUL and a `retry` that is not all digits are ignored. Invalid UTF-8
    /// becomes U+FFFD, except in `data`.
    public init(lines: Span<UInt8>) {
        var start = 0
        while start < lines.count {
            let end = ServerSentEvent.endOfLine(lines, from: start)
            take(lines.extracting(start..<end))
            start = end &+ 1
            if start < lines.count, lines[end] == 0x0D, lines[start] == 0x0A { start &+= 1 }
        }
    }

    /// The data as text.
    public var text: String { String(decoding: data ?? [], as: UTF8.self) }

    /// Whether it sets a type, an ID or a reconnection time.
    public var setsAnything: Bool { event != nil || id != nil || retryMs != nil }

    private static func endOfLine(_ lines: Span<UInt8>, from start: Int) -> Int {
        var end = ByteScan.endOfText(lines, from: start)
        while end < lines.count, lines[end] != 0x0A, lines[end] != 0x0D {
            end = ByteScan.endOfText(lines, from: end &+ 1)
        }
        return end
    }

    private mutating func take(_ line: Span<UInt8>) {
        let colon = ByteScan.firstIndex(of: UInt8(ascii: ":"), in: line, from: 0)
        var valueStart = min(colon &+ 1, line.count)
        if valueStart < line.count, line[valueStart] == 0x20 { valueStart &+= 1 }
        let value = line.extracting(valueStart..<line.count)
        if colon == 0, line.count > 0 { return append(comment: value) }
        guard colon <= EventStreamFields.nameByteCountMax else { return }
        var packed = EventStreamFields.nothingPacked
        for index in 0..<colon { packed = packed &<< 8 | UInt64(line[index]) }
        take(.named(packed), value)
    }

    private mutating func take(_ field: EventStreamFields, _ value: Span<UInt8>) {
        switch field {
        case .event: event = value.isEmpty ? nil : ServerSentEvent.text(value)
        case .data:
            if data == nil { data = [] } else { data?.append(0x0A) }
            value.withUnsafeBufferPointer { data?.append(contentsOf: $0) }
        case .id:
            guard ByteScan.firstIndex(of: 0, in: value, from: 0) == value.count else { return }
            id = ServerSentEvent.text(value)
        case .retry: retryMs = ServerSentEvent.milliseconds(value) ?? retryMs
        default: break
        }
    }

    private mutating func append(comment value: Span<UInt8>) {
        let text = ServerSentEvent.text(value)
        comment = comment.map { $0 + "\n" + text } ?? text
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Parses digits only; a number that overflows becomes the largest. An empty value is ignored,
    /// as in browsers.
    private static func milliseconds(_ digits: Span<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for index in digits.indices {
            guard ByteClass.isDigit(digits[index]) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digits[index] &- 0x30))
            value = overflow || carry ? .max : sum
        }
        return value
    }
}
