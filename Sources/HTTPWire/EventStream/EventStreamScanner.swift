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

    /// Creates a scanner for the start of a stream.
    public init() {}

    /// The position of the first byte of an unfinished item; earlier bytes are no longer needed.
    public var unfinishedStart: Int64 { block?.start ?? lineStart }

    /// Returns the next item that ends in `input` from `offset` on, or nil if all of it was
    /// scanned.
    public mutating func next(
        in input: Span<UInt8>, from offset: inout Int
    ) -> EventStreamItem? {
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
