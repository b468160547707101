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

/// Decodes the events of an event stream for a client (WHATWG HTML §9.2.6), in pieces of any size.
/// It stores the bytes of at most one unfinished event.
public struct EventStreamDecoder: Sendable {
    public enum Failure: Error, Sendable, Hashable {
        case eventTooLarge(byteCountMax: Int)
    }

    private let eventByteCountMax: Int
    private var scanner = EventStreamScanner()
    /// The bytes of the stream from `bufferStart` on that are still needed.
    private var buffer: [UInt8] = []
    private var bufferStart: Int64 = 0
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
        var offset = buffer.count
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
        var scanner = scanner
        defer { self.scanner = scanner }
        while let item = scanner.next(in: buffer.span, from: &offset) {
            try take(item, into: &events)
        }
        let done = min(buffer.count, Int(clamping: scanner.unfinishedStart &- bufferStart))
        if done > 0 {
            buffer.removeFirst(done)
            bufferStart &+= Int64(done)
        }
        guard buffer.count <= eventByteCountMax else { throw tooLarge }
    }

    /// The stream has ended: an unfinished event is dropped, but a `retry` in it takes effect.
    public mutating func finish() {
        guard let item = scanner.finish(), item.kind != .comment,
            let last = buffer.lastIndex(where: { $0 == 0x0A || $0 == 0x0D })
        else { return }
        retryMs = ServerSentEvent(lines: buffer.span.extracting(0..<last)).retryMs ?? retryMs
        buffer = []
    }

    private var tooLarge: Failure { .eventTooLarge(byteCountMax: eventByteCountMax) }

    private mutating func take(
        _ item: EventStreamItem, into events: inout [ServerSentEvent]
    ) throws(Failure) {
        guard item.kind != .comment else { return }
        let start = Int(clamping: item.range.lowerBound &- bufferStart)
        let end = Int(clamping: item.range.upperBound &- bufferStart)
        guard start >= 0, start <= end, end <= buffer.count else { return }
        guard end &- start <= eventByteCountMax else { throw tooLarge }
        var event = ServerSentEvent(lines: buffer.span.extracting(start..<end))
        if let id = event.id { lastEventID = id }
        if let retry = event.retryMs { retryMs = retry }
        event.id = lastEventID.isEmpty ? nil : lastEventID
        if item.kind == .event { events.append(event) }
    }
}

/// Finds the events of an event stream (WHATWG HTML §9.2.5, §9.2.6), in pieces of any size.
///
/// It stores no bytes of the stream, so lines may have any length. A byte order mark at the start
/// is skipped. Lines end in CR, LF or CR LF; an event is found at the first byte of the line end of
/// its blank line.
///
///     empty ─┬─▶ name ─(:)─▶ valueStart ─▶ rest ──┐
///       ▲    ├─▶ comment ─────────────────────────┤
///       └────┴──────────────(CR, LF)──────────────┘
public struct EventStreamScanner: Sendable {
    private enum Line {
        case empty
        /// The packed bytes of the name so far.
        case name(UInt64, byteCount: Int)
        case comment
        /// After the colon, or inside an unknown name.
        case rest(EventStreamFields)
    }

    private static let byteOrderMark: InlineArray<3, UInt8> = [0xEF, 0xBB, 0xBF]

    private var line = Line.empty
    private var lineStart: Int64 = 0
    /// How many bytes of a byte order mark have been read at the start; nil once that is decided.
    private var markByteCount: Int? = 0
    private var isBehindCarriageReturn = false
    /// Where the lines of the current event start and end; nil if it has none.
    private var block: (start: Int64, end: Int64)?
    private var fields: EventStreamFields = []
    /// The number of bytes scanned so far.
    public private(set) var byteCount: Int64 = 0

    public init() {}

    /// The position of the first byte of an unfinished item; earlier bytes are no longer needed.
    public var unfinishedStart: Int64 { block?.start ?? lineStart }

    /// Returns the next item that ends in `input` from `offset` on, or nil if all of it was
    /// scanned.
    public mutating func next(in input: Span<UInt8>, from offset: inout Int) -> EventStreamItem? {
        while offset < input.count {
            if isSkimming {
                let end = ByteScan.endOfText(input, from: offset)
                byteCount &+= Int64(end &- offset)
                offset = end
                if offset == input.count { return nil }
            }
            let byte = input[offset]
            offset &+= 1
            byteCount &+= 1
            if let item = take(byte) { return item }
        }
        return nil
    }

    /// Returns the unfinished item at the end of the stream.
    public mutating func finish() -> EventStreamItem? {
        let isInLine = byteCount > lineStart
        guard isInLine || block != nil else { return nil }
        if block == nil, case .comment = line {
            defer { self = EventStreamScanner() }
            return EventStreamItem(.comment, from: lineStart, to: byteCount, isFinished: false)
        }
        let start = block?.start ?? lineStart
        let end = isInLine ? byteCount : block?.end ?? byteCount
        if isInLine { fields.formUnion(fieldOfLine) }
        defer { self = EventStreamScanner() }
        return EventStreamItem(
            fields.contains(.data) ? .event : .fields, from: start, to: end, fields: fields,
            isFinished: false)
    }

    private var isSkimming: Bool {
        switch line {
        case .rest, .comment: true
        case .empty, .name: false
        }
    }

    /// A name without a colon is a field with an empty value.
    private var fieldOfLine: EventStreamFields {
        switch line {
        case .name(let packed, _): .named(packed)
        case .rest(let field): field
        case .empty, .comment: []
        }
    }

    private mutating func take(_ byte: UInt8) -> EventStreamItem? {
        if markByteCount != nil, takesMark(byte) { return nil }
        if isBehindCarriageReturn {
            isBehindCarriageReturn = false
            if byte == 0x0A {
                lineStart = byteCount
                return nil
            }
        }
        switch byte {
        case 0x0A, 0x0D:
            isBehindCarriageReturn = byte == 0x0D
            return endLine()
        case UInt8(ascii: ":"): takeColon()
        default: takeInName(byte)
        }
        return nil
    }

    /// Whether a byte belongs to a byte order mark at the start.
    private mutating func takesMark(_ byte: UInt8) -> Bool {
        let count = markByteCount ?? 0
        if count < 3, byte == EventStreamScanner.byteOrderMark[count] {
            markByteCount = count == 2 ? nil : count &+ 1
            if count == 2 { lineStart = byteCount }
            return true
        }
        markByteCount = nil
        if count > 0 { line = .rest([]) }
        return false
    }

    private mutating func takeColon() {
        switch line {
        case .empty: line = .comment
        case .name(let packed, _): line = .rest(.named(packed))
        case .comment, .rest: break
        }
    }

    private mutating func takeInName(_ byte: UInt8) {
        switch line {
        case .empty:
            line = .name(EventStreamFields.nothingPacked &<< 8 | UInt64(byte), byteCount: 1)
        case .name(_, EventStreamFields.nameByteCountMax): line = .rest([])
        case .name(let packed, let count):
            line = .name(packed &<< 8 | UInt64(byte), byteCount: count &+ 1)
        case .comment, .rest: break
        }
    }

    private mutating func endLine() -> EventStreamItem? {
        let (start, end) = (lineStart, byteCount &- 1)
        defer {
            line = .empty
            lineStart = byteCount
        }
        switch line {
        case .empty: return endBlock()
        case .comment: return EventStreamItem(.comment, from: start, to: end)
        case .name, .rest:
            fields.formUnion(fieldOfLine)
            block = (block?.start ?? start, end)
            return nil
        }
    }

    private mutating func endBlock() -> EventStreamItem? {
        guard let block else { return nil }
        defer {
            self.block = nil
            fields = []
        }
        return EventStreamItem(
            fields.contains(.data) ? .event : .fields, from: block.start, to: block.end,
            fields: fields)
    }
}

/// The position of one item in an event stream; its contents are parsed by `ServerSentEvent`.
public struct EventStreamItem: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Lines up to a blank one that include data: an event that clients dispatch.
        case event
        /// Lines up to a blank one without data, which are not an event but may set `id` and
        /// `retry`.
        case fields
        /// A line that starts with a colon.
        case comment
    }

    public let kind: Kind
    /// Its lines, as a range of the stream's bytes: without the blank line after them, and without
    /// the end of the last line, part of which may not have arrived if it is CR LF.
    public let range: Range<Int64>
    public let fields: EventStreamFields
    /// Whether the item is complete. An incomplete event is not dispatched.
    public let isFinished: Bool

    init(
        _ kind: Kind, from start: Int64, to end: Int64, fields: EventStreamFields = [],
        isFinished: Bool = true
    ) {
        self.kind = kind
        range = Range(uncheckedBounds: (start, max(start, end)))
        self.fields = fields
        self.isFinished = isFinished
    }
}

/// The fields of an event stream that have a meaning (WHATWG HTML §9.2.6).
public struct EventStreamFields: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let event = EventStreamFields(rawValue: 1)
    public static let data = EventStreamFields(rawValue: 2)
    /// The value for Last-Event-ID when the client reconnects.
    public static let id = EventStreamFields(rawValue: 4)
    /// How long the client waits before it reconnects.
    public static let retry = EventStreamFields(rawValue: 8)

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
