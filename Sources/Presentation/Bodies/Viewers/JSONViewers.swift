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

    func render(_ line: JSONLine, _ bytes: [UInt8]) -> StyledText { Self.rendered(line, bytes) }

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

/// Shows JSON as a tree of names and decoded values, with elements numbered and no brackets.
struct JSONTreeViewer: ScanningViewer {
    static let name = "json"
    static let readsAnyCharset = false

    var index: LineIndex<JSONScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .json, .jsonLines: 90
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(JSONScanner(keepsClosers: false), source)
    }

    func render(_ line: JSONLine, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        if let index = line.elementIndex { rendered.append("\(index): ", .dim) }
        var position = 0
        if line.startsInString {
            position = JSONTokenizer.stringEnd(in: bytes.span, from: 0) ?? bytes.count
            rendered.append(bytes[..<position], .string)
        }
        append(bytes, from: position, line, to: &rendered)
        rendered.fold = line.fold
        return rendered
    }

    private func append(
        _ bytes: [UInt8], from start: Int, _ line: JSONLine, to rendered: inout StyledText
    ) {
        var tokenizer = JSONTokenizer()
        var position = start
        var pending: ArraySlice<UInt8>?
        while let token = tokenizer.next(in: bytes.span, from: &position) {
            switch token.kind {
            case .string:
                flush(&pending, to: &rendered)
                pending = bytes[token.range]
            case .colon:
                if let name = pending { rendered.append(JSONTreeViewer.decoded(name), .key) }
                pending = nil
                rendered.append(": ", .punctuation)
            case .scalar:
                flush(&pending, to: &rendered)
                rendered.appendJSONScalar(bytes[token.range])
            case .opener, .closer: rendered.append(bytes[token.range], .punctuation)
            case .comma: break
            }
        }
        flush(&pending, to: &rendered)
        appendEnd(of: line, bytes.last, to: &rendered)
    }

    /// Appends a string that turned out not to be a name.
    private func flush(_ pending: inout ArraySlice<UInt8>?, to line: inout StyledText) {
        guard let string = pending else { return }
        line.append("\"" + JSONTreeViewer.decoded(string), .string)
        if string.count > 1, string.last == UInt8(ascii: "\"") { line.append("\"", .string) }
        pending = nil
    }

    /// Appends a placeholder for the contents of an object or array.
    private func appendEnd(of line: JSONLine, _ opener: UInt8?, to rendered: inout StyledText) {
        let closer = opener == UInt8(ascii: "[") ? "]" : "}"
        switch line.kind {
        case .open: rendered.append("…" + closer, .punctuation)
        case .folded(let count, let isCut):
            rendered.append(" \(count)\(isCut ? "+" : "") ", .dim)
            rendered.append(closer, .punctuation)
        case .value, .close: break
        }
    }

    /// A string without quotation marks and escapes, or the text itself if it is no valid string.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.contains(UInt8(ascii: "\\")),
            case .string(let text)? = try? JSONReader().read(Array(bytes))
        {
            return text
        }
        var inner = bytes
        if inner.first == UInt8(ascii: "\"") { inner = inner.dropFirst() }
        if inner.last == UInt8(ascii: "\"") { inner = inner.dropLast() }
        return ByteText().text(Array(inner).span)
    }
}

extension StyledText {
    mutating func appendJSONScalar(_ bytes: ArraySlice<UInt8>) {
        switch bytes.first ?? 0 {
        case UInt8(ascii: "-"), 0x30...0x39: append(bytes, .number)
        case UInt8(ascii: "t") where bytes.elementsEqual("true".utf8),
            UInt8(ascii: "f") where bytes.elementsEqual("false".utf8),
            UInt8(ascii: "n") where bytes.elementsEqual("null".utf8):
            append(bytes, .keyword)
        default: append(bytes, .bad)
        }
    }
}

/// Formats JSON text without changing its tokens: only the white space between them changes. Text
/// that is not JSON loses nothing but such white space.
package enum JSONTextLayout {
    /// Deeper levels are not indented further.
    private static let indentedLevelMax = 64

    /// Writes one member or element per line, each level indented by two more spaces.
    package static func indented(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        var level = 0
        var former: JSONTokenizer.Kind?
        forEachToken(in: bytes) { kind, token in
            if kind == .closer { level = max(0, level - 1) }
            // Empty objects and arrays stay on their line.
            if (former == .opener) != (kind == .closer) { breakLine(level, &output) }
            output += token
            switch kind {
            case .opener: level += 1
            case .comma: breakLine(level, &output)
            case .colon: output.append(0x20)
            case .closer, .string, .scalar: break
            }
            former = kind
        }
        return output
    }

    /// Writes everything on one line, without white space between tokens.
    package static func compact(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        forEachToken(in: bytes) { _, token in output += token }
        return output
    }

    private static func forEachToken(
        in bytes: [UInt8], _ body: (JSONTokenizer.Kind, ArraySlice<UInt8>) -> Void
    ) {
        var tokenizer = JSONTokenizer()
        var index = 0
        while let token = tokenizer.next(in: bytes.span, from: &index) {
            body(token.kind, bytes[token.range])
        }
    }

    private static func breakLine(_ level: Int, _ output: inout [UInt8]) {
        output.append(0x0A)
        output += [UInt8](repeating: 0x20, count: min(level, indentedLevelMax) * 2)
    }
}
