internal import ProxydHTTPModel

/// A decoded field section: its field lines in order, including pseudo-header fields.
///
/// The lines are kept as `name: value` with CRLF, the form in which heads are shown and stored. A
/// malformed name or value may contain any byte, so only the ranges in `lines` delimit them
/// reliably.
struct FieldBlock: Sendable {
    /// How much is kept; anything beyond is only counted.
    struct Limits: Sendable {
        /// The maximum of `listByteCount`.
        var listByteCountMax: Int
        var lineCountMax: Int
    }

    /// The limit that was exceeded.
    enum Excess: Sendable {
        case none, bytes, lines
    }

    /// All lines, one after another.
    private(set) var bytes: [UInt8] = []
    /// The position of each line in `bytes`.
    private(set) var lines: [HeaderFields.Line] = []
    /// The size of the list as defined in RFC 9113 §6.5.2: names and values, plus 32 for each line.
    private(set) var listByteCount = 0
    /// Whether lines were dropped, and because of which limit.
    private(set) var excess = Excess.none
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// The number of bytes that `end` appends.
    static let endByteCount = 2

    /// Ends the section with an empty line, like an HTTP/1 head.
    mutating func end() {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// The number of lines received, kept or not.
    private(set) var allLineCount = 0
    /// The number of bytes in all names and values received, kept or not.
    var byteCount: Int { listByteCount &- allLineCount &* HPACKEntry.overheadByteCount }

    /// Returns the first lines in the format of `FieldList`, up to a number of bytes in names and
    /// values; the line that exceeds it is truncated. Also returns the number of these lines and
    /// bytes.
    func listed(byteCountMax: Int) -> (bytes: [UInt8], lineCount: Int, byteCount: Int) {
        var output: [UInt8] = []
        var (lineCount, left) = (0, byteCountMax)
        for line in lines where left > 0 {
            let name = bytes.span.extracting(line.nameRange).extracting(first: left)
            left &-= name.count
            let value = bytes.span.extracting(line.valueRange).extracting(first: left)
            left &-= value.count
            FieldList.append(name: name, value: value, to: &output)
            lineCount &+= 1
        }
        return (output, lineCount, byteCountMax &- left)
    }

    /// Appends a line if there is room for it.
    mutating func append(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding) {
        guard hasRoom(name.count &+ value.count) else { return }
        var line = beginLine()
        line.name = FieldName(name)
        appendToLine(name)
        endName(of: &line)
        appendToLine(value)
        endValue(of: &line)
        keep(line, coding: coding)
    }

    /// Appends the line of an entry, which starts at a position in a table's bytes, if there is
    /// room.
    @inline(__always)
    mutating func append(_ entry: HPACKEntry, at start: Int, of table: Span<UInt8>) {
        let lineByteCount = entry.lineByteCount
        guard hasRoom(lineByteCount &- HPACKEntry.punctuationByteCount) else { return }
        var line = beginLine()
        line.name = entry.name
        line.nameEnd = line.start &+ Int(entry.nameByteCount)
        appendToLine(table.extracting(start..<start &+ lineByteCount))
        line.valueEnd = bytes.count &- 2
        keep(line, coding: FieldCoding(.indexed))
    }

    /// Counts a line and returns whether it is kept.
    @inline(__always)
    private mutating func hasRoom(_ byteCount: Int) -> Bool {
        allLineCount &+= 1
        listByteCount = listByteCount &+ byteCount &+ HPACKEntry.overheadByteCount
        if excess != .none { return false }
        if listByteCount > limits.listByteCountMax { excess = .bytes }
        if excess == .none, lines.count >= limits.lineCountMax { excess = .lines }
        return excess == .none
    }

    @inline(__always)
    private mutating func keep(_ line: UnfinishedLine, coding: FieldCoding) {
        lines.append(
            HeaderFields.Line(
                start: UInt32(truncatingIfNeeded: line.start),
                nameEnd: UInt32(truncatingIfNeeded: line.nameEnd),
                valueStart: UInt32(truncatingIfNeeded: line.nameEnd &+ 2),
                valueEnd: UInt32(truncatingIfNeeded: line.valueEnd),
                end: UInt32(truncatingIfNeeded: line.valueEnd &+ 2), name: line.name,
                coding: coding))
    }

    /// Reserves memory for the expected size.
    mutating func reserve(byteCount: Int, lineCount: Int) {
        guard bytes.isEmpty else { return }
        bytes.reserveCapacity(byteCount)
        lines.reserveCapacity(lineCount)
    }

    // MARK: Lines that are written in parts

    /// A line whose bytes are appended to `bytes` before it is known whether it is kept, because
    /// HPACK's table needs it in any case.
    struct UnfinishedLine {
        let start: Int
        var nameEnd: Int
        var valueEnd: Int
        var name = FieldName.other
    }

    @inline(__always)
    func beginLine() -> UnfinishedLine {
        UnfinishedLine(start: bytes.count, nameEnd: bytes.count, valueEnd: bytes.count)
    }

    @inline(__always)
    mutating func appendToLine(_ part: Span<UInt8>) {
        part.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    mutating func appendToLine(huffman string: Span<UInt8>) throws(HPACKError) {
        try HuffmanCode.decode(string, into: &bytes)
    }

    func nameOfUnfinishedLine(_ line: UnfinishedLine) -> FieldName {
        FieldName(bytes.span.extracting(line.start..<bytes.count))
    }

    mutating func endName(of line: inout UnfinishedLine) {
        line.nameEnd = bytes.count
        bytes.append(0x3A)
        bytes.append(0x20)
    }

    mutating func endValue(of line: inout UnfinishedLine) {
        line.valueEnd = bytes.count
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// Keeps the line if there is room for it.
    mutating func finish(_ line: UnfinishedLine, coding: FieldCoding) {
        if hasRoom(line.valueEnd &- line.start &- 2) {
            keep(line, coding: coding)
        } else {
            dropUnfinishedLine()
        }
    }

    mutating func dropUnfinishedLine() {
        let end = lines.last.map { Int($0.end) } ?? 0
        if bytes.count > end { bytes.removeSubrange(end...) }
    }
}
