/// Finds the lines of a text. Long ones are split, so that no line is longer than a screen needs.
struct TextScanner: LineScanner {
    /// The maximum length of a line in bytes; the rest continues on the next line.
    static let lineByteCountMax = 4_096

    struct Line: ScannedLine {
        /// The bytes without the line ending.
        let range: Range<Int>
        /// Whether it is the rest of a line that did not fit.
        let isContinuation: Bool
    }

    private let unitByteCount: Int
    private let isBigEndian: Bool
    private var markByteCount: Int
    private var isContinuing = false
    /// Whether lines may also end in CR alone.
    private let endsAtCarriageReturn: Bool

    /// Finds the lines of a UTF-8 text that end as in an event stream: in CR, LF or CR LF.
    init(eventStream beginning: [UInt8]) {
        unitByteCount = 1
        isBigEndian = false
        markByteCount = beginning.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        endsAtCarriageReturn = true
    }

    init(_ encoding: TextEncoding) {
        unitByteCount = encoding.unitByteCount
        isBigEndian = encoding.isBigEndian
        markByteCount = encoding.markByteCount
        endsAtCarriageReturn = false
    }

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if offset < markByteCount {
            guard bytes.count >= markByteCount || isEnd else { return .needsMore }
            if bytes.isEmpty { return .ended }
            return .passed(byteCount: markByteCount - offset)
        }
        let end = min(bytes.count, TextScanner.lineByteCountMax)
        var index = 0
        while index + unitByteCount <= end {
            if isLineFeed(bytes, index) {
                return line(offset, contentEnd(bytes, index), taking: index + unitByteCount)
            }
            if endsAtCarriageReturn, bytes[index] == 0x0D {
                // An LF may belong to it.
                guard index + 1 < bytes.count || isEnd else { return .needsMore }
                let isFollowed = index + 1 < bytes.count && bytes[index + 1] == 0x0A
                return line(offset, index, taking: index + (isFollowed ? 2 : 1))
            }
            index += unitByteCount
        }
        // Whether a line is cut in a character shows in the unit behind its end.
        let seen = isEnd ? TextScanner.lineByteCountMax + 1 : index + unitByteCount
        if bytes.count >= seen {
            let cut = boundary(bytes, index)
            let line = Line(range: offset..<offset + cut, isContinuation: isContinuing)
            isContinuing = true
            return .line(line, byteCount: cut)
        }
        guard isEnd else { return .needsMore }
        return bytes.isEmpty ? .ended : line(offset, bytes.count, taking: bytes.count)
    }

    private mutating func line(
        _ offset: Int, _ count: Int, taking byteCount: Int
    ) -> ScanResult<Line> {
        let line = Line(range: offset..<offset + count, isContinuation: isContinuing)
        isContinuing = false
        return .line(line, byteCount: byteCount)
    }

    private func isLineFeed(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        unit(bytes, index) == 0x0A
    }

    private func unit(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
        if unitByteCount == 1 { return UInt32(bytes[index]) }
        var value: UInt32 = 0
        for step in 0..<unitByteCount {
            let place = isBigEndian ? index + step : index + unitByteCount - 1 - step
            value = value << 8 | UInt32(bytes[place])
        }
        return value
    }

    /// The end of a line's content, before the CR of a CRLF.
    private func contentEnd(_ bytes: Span<UInt8>, _ lineFeed: Int) -> Int {
        guard lineFeed >= unitByteCount, unit(bytes, lineFeed - unitByteCount) == 0x0D else {
            return lineFeed
        }
        return lineFeed - unitByteCount
    }

    /// A position to split at that is not inside a UTF-8 character or a surrogate pair.
    private func boundary(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        guard unitByteCount == 1 else {
            let isTrail =
                unitByteCount == 2 && index + 2 <= bytes.count
                && 0xDC00...0xDFFF ~= unit(bytes, index)
            return isTrail && index > 2 ? index - 2 : index
        }
        var cut = index
        while cut > 1, index - cut < 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }
}
