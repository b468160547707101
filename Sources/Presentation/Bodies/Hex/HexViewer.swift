internal import ProxydParameterCoding

/// Shows any bytes as lines of sixteen.
struct HexViewer: BodyViewer {
    static let name = "hex"

    private let source: any BodySource

    /// Bytes of an unknown format are shown as they are before any guess.
    static func fitness(for facts: BodyFacts) -> Int { facts.kind == .binary ? 20 : 10 }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.source = source }

    var lineCount: Int {
        let count = source.extent.byteCount
        return count / HexLines.rowByteCount + (count % HexLines.rowByteCount == 0 ? 0 : 1)
    }

    var isComplete: Bool { true }
    var indexedByteCount: Int { source.extent.byteCount }
    mutating func advance(byteBudget: Int) {}

    func lines(_ range: Range<Int>) -> [StyledText] {
        let rows = range.clamped(to: 0..<lineCount)
        let bytes = source.read(
            from: rows.lowerBound * HexLines.rowByteCount,
            byteCount: rows.count * HexLines.rowByteCount)
        // A file that has been truncated in the meantime returns fewer bytes than it had.
        return stride(from: 0, to: bytes.count, by: HexLines.rowByteCount).map { start in
            let row = bytes[start..<min(start + HexLines.rowByteCount, bytes.count)]
            return HexLines.line(row, at: rows.lowerBound * HexLines.rowByteCount + start)
        }
    }

    func offset(ofLine line: Int) -> Int? { line * HexLines.rowByteCount }
    func line(atOffset offset: Int) -> Int? {
        offset < source.extent.byteCount ? offset / HexLines.rowByteCount : nil
    }
}
