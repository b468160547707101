/// Octets as lines of sixteen: offset, hexadecimal, ASCII. Shows anything.
struct HexViewer: BodyViewer {
    static let name = "hex"
    private static let rowByteCount = 16

    private let source: any BodySource

    static func fitness(for facts: BodyFacts) -> Int { 10 }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.source = source }

    var lineCount: Int {
        let count = source.extent.byteCount
        return count / HexViewer.rowByteCount + (count % HexViewer.rowByteCount == 0 ? 0 : 1)
    }

    var isComplete: Bool { true }
    var indexedByteCount: Int { source.extent.byteCount }
    mutating func advance(byteBudget: Int) {}

    func lines(_ range: Range<Int>) -> [ViewerLine] {
        let rows = range.clamped(to: 0..<lineCount)
        let octets = source.read(
            from: rows.lowerBound * HexViewer.rowByteCount,
            byteCount: rows.count * HexViewer.rowByteCount)
        // A file that shrank under us gives fewer octets than there were.
        return stride(from: 0, to: octets.count, by: HexViewer.rowByteCount).map { start in
            let row = octets[start..<min(start + HexViewer.rowByteCount, octets.count)]
            return HexViewer.line(row, rows.lowerBound * HexViewer.rowByteCount + start)
        }
    }

    /// One row, `offset` being that of its first octet.
    static func line(_ row: ArraySlice<UInt8>, _ offset: Int) -> ViewerLine {
        var line = ViewerLine(digits(offset, 8) + "  ", .dim)
        var hexadecimal = ""
        for (index, octet) in row.enumerated() {
            hexadecimal += digits(Int(octet), 2) + (index == 7 ? "  " : " ")
        }
        let width = rowByteCount * 3 + 2
        hexadecimal += String(repeating: " ", count: max(0, width - hexadecimal.utf8.count))
        line.append(hexadecimal, .plain)
        let text = row.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "." }
        line.append(text.joined(), .string)
        return line
    }

    func offset(ofLine line: Int) -> Int? { line * HexViewer.rowByteCount }
    func line(atOffset offset: Int) -> Int? {
        offset < source.extent.byteCount ? offset / HexViewer.rowByteCount : nil
    }

    static func digits(_ value: Int, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension HexViewer {
    /// Octets as digits behind each other.
    static func text(_ octets: ArraySlice<UInt8>) -> String {
        octets.map { digits(Int($0), 2) }.joined(separator: " ")
    }
}
