internal import ProxydCharsets
package import ProxydParameterCoding

/// Shows a form's pairs decoded, and the raw text next to them if it differs.
struct FormViewer: ScanningViewer {
    static let name = "form"

    var index: LineIndex<FormScanner>
    private let decoder: QueryDecoder

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .form: 90
        case .plainText where facts.beginning.contains(UInt8(ascii: "=")): 20
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        // The field that names the charset may be anywhere.
        let bytes = source.read(from: 0, byteCount: BodyFacts.charsetByteCount)
        let text = ByteText(ofForm: bytes.span, declaredCharset: facts.mediaType?.charset)
        index = LineIndex(FormScanner(text), source)
        decoder = QueryDecoder(text: text)
    }

    func render(_ line: FormScanner.Line, _ bytes: [UInt8]) -> StyledText {
        if line.isContinuation {
            // This is the rest of a value; decoded as a name it would read wrong.
            let escape = FormScanner.beginsWithEscape(bytes.span) ? [] : line.escape
            let pairs = decoder.decode([UInt8(ascii: "=")] + escape + bytes).pairs
            var rendered = StyledText()
            rendered.appendIndent(4)
            rendered.append(pairs.first?.value ?? "", .string)
            return rendered
        }
        return PairLine.line(bytes, decoder)
    }
}

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

    init(_ text: ByteText) { charset = text.charset ?? .utf8 }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var end = 0
        while end < limit, bytes[end] != UInt8(ascii: "&") { end += 1 }
        if end < limit {
            // Empty pairs are skipped.
            if end == 0, !isContinuing { return .passed(byteCount: 1) }
            return line(offset, end, taking: end + 1)
        }
        if bytes.count > limit { return cut(bytes.extracting(0..<limit), offset) }
        guard isEnd else { return .needsMore }
        return bytes.isEmpty ? .ended : line(offset, end, taking: end)
    }

    private mutating func line(
        _ offset: Int, _ end: Int, taking byteCount: Int
    ) -> ScanResult<Line> {
        let line = Line(range: offset..<offset + end, isContinuation: isContinuing, escape: escape)
        isContinuing = false
        escape = []
        return .line(line, byteCount: byteCount)
    }

    /// Splits a pair that is too long, not inside a percent-encoded byte or a character.
    private mutating func cut(_ bytes: Span<UInt8>, _ offset: Int) -> ScanResult<Line> {
        let (plain, places) = FormScanner.decoded(bytes)
        let split = charset.split(plain.span, after: escape)
        let end = split.byteCount > 0 ? places[split.byteCount] : bytes.count
        let line = Line(range: offset..<offset + end, isContinuation: isContinuing, escape: escape)
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

    /// Whether a form's bytes begin with an escape byte: two escape sequences in a row are invalid.
    static func beginsWithEscape(_ bytes: Span<UInt8>) -> Bool {
        decoded(bytes.extracting(0..<min(bytes.count, 3))).plain.first == 0x1B
    }
}

/// Formats one pair of a query or form as a line.
package enum PairLine {
    /// `name = value`, decoded, followed by the raw bytes if they differ.
    package static func line(_ bytes: [UInt8], _ decoder: QueryDecoder) -> StyledText {
        var rendered = StyledText()
        guard let pair = decoder.decode(bytes).pairs.first else { return rendered }
        rendered.append(pair.name, .key)
        if let value = pair.value {
            rendered.append(" = ", .punctuation)
            rendered.append(value, .string)
        }
        let decoded = pair.value.map { "\(pair.name)=\($0)" } ?? pair.name
        if !bytes.elementsEqual(decoded.utf8) {
            rendered.append("   ", .plain)
            rendered.append(bytes[...], .dim)
        }
        rendered.indent = 4
        return rendered
    }
}
