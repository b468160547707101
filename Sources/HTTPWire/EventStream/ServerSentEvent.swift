/// What the lines of an event say (WHATWG HTML §9.2.6).
public struct ServerSentEvent: Sendable, Hashable {
    /// Its type: the last `event` in it; nil where there is none or it is empty, which means
    /// `message`.
    public var event: String?
    /// Its data, the lines of it joined with LF; nil where there is none, and thus no event. It is
    /// UTF-8 where the server keeps to the standard.
    public var data: [UInt8]?
    /// What it sets the last event ID to; an empty one takes that back. Nil where it sets none.
    public var id: String?
    /// How long to wait before connecting again, in milliseconds; nil where it does not say.
    public var retryMs: Int64?
    /// Its comments, joined with LF; nil where there is none.
    public var comment: String?

    /// Nothing said.
    public init() {}

    /// Reads lines, which end in CR, LF or CR LF; the last one may lack its end. Other fields than
    /// those above, an `id` with NUL in it and a `retry` that is not of digits count for nothing.
    /// Bytes that are not UTF-8 become U+FFFD, but in `data`.
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

    /// Whether it has a type, an ID or a time to wait.
    public var setsAnything: Bool { event != nil || id != nil || retryMs != nil }

    private static func endOfLine(_ lines: Span<UInt8>, from start: Int) -> Int {
        var end = OctetScan.endOfText(lines, from: start)
        while end < lines.count, lines[end] != 0x0A, lines[end] != 0x0D {
            end = OctetScan.endOfText(lines, from: end &+ 1)
        }
        return end
    }

    private mutating func take(_ line: Span<UInt8>) {
        let colon = OctetScan.firstIndex(of: UInt8(ascii: ":"), in: line, from: 0)
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
            guard OctetScan.firstIndex(of: 0, in: value, from: 0) == value.count else { return }
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

    /// Digits alone; a number too large to count is the largest. An empty value is none, as for
    /// browsers.
    private static func milliseconds(_ digits: Span<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for index in digits.indices {
            guard OctetClass.isDigit(digits[index]) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digits[index] &- 0x30))
            value = overflow || carry ? .max : sum
        }
        return value
    }
}
