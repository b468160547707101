internal import ProxydParameterCoding

/// Shows JSON as a tree of names and values, with strings decoded, elements numbered, and no
/// brackets.
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
    private func appendEnd(
        of line: JSONLine, _ opener: UInt8?, to rendered: inout StyledText
    ) {
        let closer = opener == UInt8(ascii: "[") ? "]" : "}"
        switch line.kind {
        case .open: rendered.append("…" + closer, .punctuation)
        case .folded(let count, let isCut):
            rendered.append(" \(count)\(isCut ? "+" : "") ", .dim)
            rendered.append(closer, .punctuation)
        case .value, .close: break
        }
    }

    /// A string without quotation marks and with escapes decoded, or the text itself if it is not a
    /// valid string.
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
