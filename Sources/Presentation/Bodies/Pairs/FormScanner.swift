/// Finds the name-value pairs of a query or a form. Long ones are split.
struct FormScanner: LineScanner {
    struct Line: ScannedLine {
        let range: Range<Int>
        /// Whether it is the rest of a pair that did not fit on the previous line.
        let isContinuation: Bool
    }

    private var isContinuing = false

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var end = 0
        while end < limit, bytes[end] != UInt8(ascii: "&") { end += 1 }
        if end < limit {
            // Empty pairs are skipped.
            if end == 0, !isContinuing { return .passed(byteCount: 1) }
            return line(offset, end, taking: end + 1)
        }
        if bytes.count > limit {
            end = FormScanner.boundary(bytes, limit)
            let line = Line(range: offset..<offset + end, isContinuation: isContinuing)
            isContinuing = true
            return .line(line, byteCount: end)
        }
        guard isEnd else { return .needsMore }
        return bytes.isEmpty ? .ended : line(offset, end, taking: end)
    }

    private mutating func line(
        _ offset: Int, _ end: Int, taking byteCount: Int
    ) -> ScanResult<Line> {
        let line = Line(range: offset..<offset + end, isContinuation: isContinuing)
        isContinuing = false
        return .line(line, byteCount: byteCount)
    }

    /// A position to split at that is not inside an escape or a character.
    private static func boundary(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        for back in 1...2 where bytes[index - back] == UInt8(ascii: "%") { return index - back }
        var cut = index
        while index - cut < 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }
}
