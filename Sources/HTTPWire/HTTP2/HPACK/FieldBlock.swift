internal import ProxydHTTPModel

/// A field section as HPACK gives it: field lines in their order, pseudo-fields among them.
///
/// The lines are kept as `name: value` with CRLF, the form in which heads are shown and stored. A
/// malformed name or value may hold any byte, so that only the ranges of `lines` tell them apart.
struct FieldBlock: Sendable {
    /// How much is kept; the rest is counted.
    struct Limits: Sendable {
        /// The most of `listByteCount`.
        var listByteCountMax: Int
        /// The most lines.
        var lineCountMax: Int
    }

    /// Which limit was passed.
    enum Excess: Sendable {
        case none, bytes, lines
    }

    /// The lines behind each other.
    private(set) var octets: [UInt8] = []
    /// Where each lies.
    private(set) var lines: [HeaderFields.Line] = []
    /// The size of the list as RFC 9113 §6.5.2 counts it: names and values, and 32 for each line.
    private(set) var listByteCount = 0
    /// Whether lines were left out.
    private(set) var excess = Excess.none
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// What `end` adds.
    static let endByteCount = 2

    /// Ends the section with an empty line, as a head of HTTP/1 ends.
    mutating func end() {
        octets.append(0x0D)
        octets.append(0x0A)
    }

    /// How many lines came, kept or not.
    private(set) var allLineCount = 0
    /// The bytes of all names and values that came, kept or not.
    var byteCount: Int { listByteCount &- allLineCount &* HPACKEntry.overheadByteCount }

    /// The first lines as `FieldList` writes them, up to so many bytes of names and values: the
    /// line that passes them is cut off there. With how many lines and such bytes these are.
    func listed(byteCountMax: Int) -> (octets: [UInt8], lineCount: Int, byteCount: Int) {
        var output: [UInt8] = []
        var (lineCount, left) = (0, byteCountMax)
        for line in lines where left > 0 {
            let name = octets.span.extracting(line.nameRange).extracting(first: left)
            left &-= name.count
            let value = octets.span.extracting(line.valueRange).extracting(first: left)
            left &-= value.count
            FieldList.append(name: name, value: value, to: &output)
            lineCount &+= 1
        }
        return (output, lineCount, byteCountMax &- left)
    }

    /// Adds a line, if there is room for it.
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

    /// Adds the line of an entry, which begins at a place in a table's bytes, if there is room.
    @inline(__always)
    mutating func append(_ entry: HPACKEntry, at start: Int, of bytes: Span<UInt8>) {
        let lineByteCount = entry.lineByteCount
        guard hasRoom(lineByteCount &- HPACKEntry.punctuationByteCount) else { return }
        var line = beginLine()
        line.name = entry.name
        line.nameEnd = line.start &+ Int(entry.nameByteCount)
        appendToLine(bytes.extracting(start..<start &+ lineByteCount))
        line.valueEnd = octets.count &- 2
        keep(line, coding: FieldCoding(.indexed))
    }

    /// Counts a line, and tells whether it is kept.
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

    /// Makes room for what is likely to come.
    mutating func reserve(byteCount: Int, lineCount: Int) {
        guard octets.isEmpty else { return }
        octets.reserveCapacity(byteCount)
        lines.reserveCapacity(lineCount)
    }
}

// MARK: - Lines that are written piece by piece

extension FieldBlock {
    /// A line whose bytes are appended to `octets` before it is known whether it is kept: HPACK's
    /// table wants it in any case.
    struct UnfinishedLine {
        let start: Int
        var nameEnd: Int
        var valueEnd: Int
        var name = FieldName.other
    }

    @inline(__always)
    func beginLine() -> UnfinishedLine {
        UnfinishedLine(start: octets.count, nameEnd: octets.count, valueEnd: octets.count)
    }

    @inline(__always)
    mutating func appendToLine(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    }

    mutating func appendToLine(huffman string: Span<UInt8>) throws(HPACKError) {
        try HuffmanCode.decode(string, into: &octets)
    }

    /// Which name was appended.
    func nameOfUnfinishedLine(_ line: UnfinishedLine) -> FieldName {
        FieldName(octets.span.extracting(line.start..<octets.count))
    }

    mutating func endName(of line: inout UnfinishedLine) {
        line.nameEnd = octets.count
        octets.append(0x3A)
        octets.append(0x20)
    }

    mutating func endValue(of line: inout UnfinishedLine) {
        line.valueEnd = octets.count
        octets.append(0x0D)
        octets.append(0x0A)
    }

    /// Keeps the line, if there is room for it.
    mutating func finish(_ line: UnfinishedLine, coding: FieldCoding) {
        if hasRoom(line.valueEnd &- line.start &- 2) {
            keep(line, coding: coding)
        } else {
            dropUnfinishedLine()
        }
    }

    /// Forgets a line that was not finished.
    mutating func dropUnfinishedLine() {
        let end = lines.last.map { Int($0.end) } ?? 0
        if octets.count > end { octets.removeSubrange(end...) }
    }
}
