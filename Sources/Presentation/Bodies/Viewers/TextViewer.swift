internal import ProxydCharsets
internal import ProxydParameterCoding

/// Shows text in its charset, unformatted.
struct TextViewer: ScanningViewer {
    static let name = "text"

    var index: LineIndex<TextScanner>
    private let encoding: TextEncoding

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .plainText: 60
        default: facts.looksLikeText ? 40 : 5
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        encoding = TextEncoding(facts)
        index = LineIndex(TextScanner(encoding), source)
    }

    var remark: String? { encoding.name }

    func render(_ line: TextScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        // An escape sequence right after another one is an error.
        let text = bytes.first == 0x1B ? bytes : line.escape + bytes
        rendered.append(text[...], .plain, encoding)
        return rendered
    }
}

/// Finds the lines of a text. Long ones are split, so that no line is longer than a screen needs.
struct TextScanner: LineScanner {
    /// The maximum length of a line in bytes; the rest continues on the next line.
    static let lineByteCountMax = 4_096

    struct Line: ScannedLine {
        /// The bytes without the line ending.
        let range: Range<Int>
        /// Whether it is the rest of a line that did not fit.
        let isContinuation: Bool
        /// The escape sequence before it that decides how it is read; empty if there is none.
        let escape: [UInt8]
    }

    private let charset: Charset
    private let unitByteCount: Int
    private var markByteCount: Int
    private var isContinuing = false
    /// The escape sequence in force where a line was cut.
    private var escape: [UInt8] = []
    /// Whether lines may also end in CR alone.
    private let endsAtCarriageReturn: Bool

    /// Finds the lines of a UTF-8 text that end as in an event stream: in CR, LF or CR LF.
    init(eventStream beginning: [UInt8]) {
        charset = .utf8
        unitByteCount = 1
        markByteCount = beginning.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        endsAtCarriageReturn = true
    }

    init(_ encoding: TextEncoding) {
        charset = encoding.charset
        unitByteCount = charset.unitByteCount
        markByteCount = encoding.markByteCount
        endsAtCarriageReturn = false
    }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
        if offset < markByteCount {
            guard bytes.count >= markByteCount || isEnd else { return .needsMore }
            if bytes.isEmpty { return .ended }
            return .passed(byteCount: markByteCount - offset)
        }
        let end = min(bytes.count, TextScanner.lineByteCountMax)
        var index = 0
        while index + unitByteCount <= end {
            if unit(bytes, index) == 0x0A {
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
        // The unit after a line shows whether the line is cut within a character.
        let seen = isEnd ? TextScanner.lineByteCountMax + 1 : index + unitByteCount
        if bytes.count >= seen { return cut(bytes.extracting(0..<index), offset) }
        guard isEnd else { return .needsMore }
        return bytes.isEmpty ? .ended : line(offset, bytes.count, taking: bytes.count)
    }

    private mutating func line(
        _ offset: Int, _ count: Int, taking byteCount: Int
    ) -> ScanResult<Line> {
        let line = Line(
            range: offset..<offset + count, isContinuation: isContinuing, escape: escape)
        isContinuing = false
        escape = []
        return .line(line, byteCount: byteCount)
    }

    /// Splits a line that is too long between two characters.
    private mutating func cut(_ bytes: Span<UInt8>, _ offset: Int) -> ScanResult<Line> {
        let split = charset.split(bytes, after: escape)
        let count = split.byteCount > 0 ? split.byteCount : bytes.count
        let line = Line(
            range: offset..<offset + count, isContinuation: isContinuing, escape: escape)
        isContinuing = true
        escape = split.escape
        return .line(line, byteCount: count)
    }

    private func unit(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
        if unitByteCount == 1 { return UInt32(bytes[index]) }
        var value: UInt32 = 0
        for step in 0..<unitByteCount {
            let place = charset.isBigEndian ? index + step : index + unitByteCount - 1 - step
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
}
