internal import ProxydCharsets
internal import ProxydParameterCoding

/// Finds the name-value pairs of a query or a form. Long ones are split.
struct FormScanner: LineScanner {
    struct Line: ScannedLine {
        let range: Range<Int>
        /// Whether it is the rest of a pair that did not fit on the previous line.
        let isContinuation: Bool
        /// The escape sequence of ISO-2022-JP before it that decides how it is read.
        let escape: [UInt8]
    }

    private let charset: Charset
    private var isContinuing = false
    /// The escape sequence in force where a pair was cut.
    private var escape: [UInt8] = []

    /// Finds the pairs of a form in its charset.
    init(_ text: ByteText) { charset = text.charset ?? .utf8 }

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
            return cut(bytes.extracting(0..<limit), offset)
        }
        guard isEnd else { return .needsMore }
        return bytes.isEmpty ? .ended : line(offset, end, taking: end)
    }

    private mutating func line(
        _ offset: Int, _ end: Int, taking byteCount: Int
    ) -> ScanResult<Line> {
        let line = Line(
            range: offset..<offset + end, isContinuation: isContinuing, escape: escape)
        isContinuing = false
        escape = []
        return .line(line, byteCount: byteCount)
    }

    /// Splits a pair that is too long, not inside a percent-encoded byte or a character.
    private mutating func cut(_ bytes: Span<UInt8>, _ offset: Int) -> ScanResult<Line> {
        let (plain, places) = FormScanner.decoded(bytes)
        let split = charset.split(plain.span, after: escape)
        let end = split.byteCount > 0 ? places[split.byteCount] : bytes.count
        let line = Line(
            range: offset..<offset + end, isContinuation: isContinuing, escape: escape)
        isContinuing = true
        escape = split.escape
        return .line(line, byteCount: end)
    }

    /// The decoded bytes of the start of a pair, with the place of each and the end of the last.
    /// A percent-encoded byte that may be cut is left out.
    private static func decoded(_ bytes: Span<UInt8>) -> (plain: [UInt8], places: [Int]) {
        var (plain, places, index) = ([UInt8](), [Int](), 0)
        while index < bytes.count {
            let isPercent = bytes[index] == UInt8(ascii: "%")
            if isPercent, index + 2 >= bytes.count { break }
            places.append(index)
            if isPercent, let high = Byte.hexValue(bytes[index + 1]),
                let low = Byte.hexValue(bytes[index + 2])
            {
                plain.append(high << 4 | low)
                index += 3
            } else {
                plain.append(bytes[index])
                index += 1
            }
        }
        return (plain, places + [index])
    }

    /// Whether bytes of a form begin with an escape byte: an escape sequence right after another
    /// one is an error.
    static func beginsWithEscape(_ bytes: Span<UInt8>) -> Bool {
        decoded(bytes.extracting(0..<min(bytes.count, 3))).plain.first == 0x1B
    }
}
