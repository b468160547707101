internal import ProxydParameterCoding

/// Shows JavaScript and CSS with line breaks and syntax colours.
struct CodeViewer: ScanningViewer {
    static let name = "code"
    static let readsAnyCharset = false

    private static let keywords: Set<String> = Set(
        """
        await async break case catch class const continue default delete do else export extends \
        false finally for from function get if import in instanceof let new null of return set \
        static super switch this throw true try typeof undefined var void while with yield
        """.split(separator: " ").map { String($0) })

    var index: LineIndex<CodeScanner>
    private let encoding: TextEncoding
    private let isScript: Bool

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .javaScript, .css: 80
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        isScript = facts.kind != .css
        encoding = TextEncoding(facts)
        index = LineIndex(CodeScanner(isScript: isScript), source)
    }

    var remark: String? { encoding.name }

    func render(_ line: CodeScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        var syntax = CodeSyntax(isScript: isScript, mode: line.mode)
        var start = line.range.lowerBound == 0 ? min(encoding.markByteCount, bytes.count) : 0
        var index = start
        while index < bytes.count {
            let before = syntax.mode
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let taken = min(syntax.take(bytes[index], next), bytes.count - index)
            if syntax.mode != before, before == .code || syntax.mode == .code {
                // Opening delimiters belong to what they open, closing ones to what they close.
                let end = before == .code ? index : index + taken
                append(bytes[start..<max(start, end)], before, to: &rendered)
                start = max(start, end)
            }
            index += taken
        }
        append(bytes[start...], syntax.mode, to: &rendered)
        return rendered
    }

    private func append(
        _ bytes: ArraySlice<UInt8>, _ mode: CodeSyntax.Mode, to line: inout StyledText
    ) {
        switch mode {
        case .code: appendCode(bytes, to: &line)
        case .string, .regularExpression: line.append(bytes, .string, encoding)
        case .lineComment, .blockComment: line.append(bytes, .comment, encoding)
        }
    }

    private func appendCode(_ bytes: ArraySlice<UInt8>, to line: inout StyledText) {
        var rest = bytes
        while let first = rest.first {
            let isWord = CodeViewer.isWord(first)
            let end = rest.firstIndex { CodeViewer.isWord($0) != isWord } ?? rest.endIndex
            let piece = rest[rest.startIndex..<end]
            var style = isWord ? Style.plain : .punctuation
            if isWord, 0x30...0x39 ~= first {
                style = .number
            } else if isWord, isScript, piece.count <= 10,
                CodeViewer.keywords.contains(String(decoding: piece, as: UTF8.self))
            {
                style = .keyword
            }
            line.append(piece, style, encoding)
            rest = rest[end...]
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
