internal import ProxydParameterCoding

/// Shows JSON as indented text, with every token as it was written.
struct JSONTextViewer: ScanningViewer {
    static let name = "json text"
    static let readsAnyCharset = false

    var index: LineIndex<JSONScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .json, .jsonLines: 80
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(JSONScanner(keepsClosers: true), source)
    }

    func render(_ line: JSONLine, _ bytes: [UInt8]) -> StyledText {
        Self.rendered(line, bytes)
    }

    static func rendered(_ line: JSONLine, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        var position = 0
        if line.startsInString {
            position = JSONTokenizer.stringEnd(in: bytes.span, from: 0) ?? bytes.count
            rendered.append(bytes[..<position], .string)
        }
        append(bytes, from: position, to: &rendered)
        if case .folded(let count, let isCut) = line.kind {
            let closer = bytes.last == UInt8(ascii: "[") ? "]" : "}"
            rendered.append(" \(count)\(isCut ? "+" : "") ", .dim)
            rendered.append(closer, .punctuation)
        }
        rendered.fold = line.fold
        return rendered
    }

    private static func append(_ bytes: [UInt8], from start: Int, to line: inout StyledText) {
        let span = bytes.span
        var tokenizer = JSONTokenizer()
        var position = start
        while let token = tokenizer.next(in: span, from: &position) {
            let text = bytes[token.range]
            switch token.kind {
            case .colon: line.append(": ", .punctuation)
            case .opener, .closer, .comma: line.append(text, .punctuation)
            case .scalar: line.appendJSONScalar(text)
            case .string: line.append(text, isName(span, position) ? .key : .string)
            }
        }
    }

    private static func isName(_ bytes: Span<UInt8>, _ position: Int) -> Bool {
        JSONTokenizer.token(in: bytes, from: position)?.kind == .colon
    }
}

extension JSONLine {
    /// The fold state of the line.
    var fold: StyledText.Fold {
        switch kind {
        case .open: .open
        case .folded: .closed
        case .value, .close: .none
        }
    }
}

extension ScanningViewer where Scanner == JSONScanner {
    mutating func toggleFold(atLine number: Int) -> Bool {
        guard let line = index.lines(number..<number + 1).first, line.fold != .none else {
            return false
        }
        let start = line.range.lowerBound
        // A single set that all remembered positions share.
        var folding = index.scanner.folding
        folding.exceptions.formSymmetricDifference([start])
        index.change(from: start) { $0.folding = folding }
        return true
    }

    mutating func setFoldDepth(_ depth: Int?) -> Bool {
        index.change(from: 0) { $0.folding = JSONFolding(depth: depth) }
        return true
    }
}
