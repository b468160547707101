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

/// Finds the lines of JavaScript and CSS, with breaks where statements and blocks start and end, so
/// that minified code is readable. The text itself is not changed.
struct CodeScanner: LineScanner {
    struct Line: ScannedLine {
        let range: Range<Int>
        let depth: Int
        let mode: CodeSyntax.Mode
    }

    private static let depthMax = 1_000_000

    private let isScript: Bool
    private var depth = 0
    private var parenthesisCount = 0
    private var syntax: CodeSyntax

    init(isScript: Bool) {
        self.isScript = isScript
        syntax = CodeSyntax(isScript: isScript)
    }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
        var blankCount = 0
        // Inside strings and comments white space is content.
        while syntax.mode == .code, blankCount < bytes.count,
            MarkupSyntax.isBlank(bytes[blankCount])
        {
            blankCount += 1
        }
        if blankCount > 0 { return .passed(byteCount: blankCount) }
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        var state = self
        guard let end = state.advance(bytes, isEnd: isEnd) else { return .needsMore }
        var content = end
        while content > 0, MarkupSyntax.isBlank(bytes[content - 1]) { content -= 1 }
        let closes = syntax.mode == .code && bytes[0] == UInt8(ascii: "}")
        let line = Line(
            range: offset..<offset + content, depth: max(0, depth - (closes ? 1 : 0)),
            mode: syntax.mode)
        self = state
        return .line(line, byteCount: end)
    }

    /// Reads to the end of the line; returns nil if it is not in view.
    private mutating func advance(_ bytes: Span<UInt8>, isEnd: Bool) -> Int? {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var index = 0
        while index < limit {
            // Comments and regular expressions start with two bytes.
            if index + 1 >= bytes.count, !isEnd { return nil }
            let byte = bytes[index]
            let wasCode = syntax.mode == .code
            index += syntax.take(byte, index + 1 < bytes.count ? bytes[index + 1] : 0)
            if byte == 0x0A { return index }
            guard syntax.mode == .code else { continue }
            if wasCode, breaks(behind: byte) { return closedEnd(bytes, index, byte) }
            // The end of a block starts a new line.
            if index < limit, bytes[index] == UInt8(ascii: "}"), byte != UInt8(ascii: "{") {
                return index
            }
        }
        if index >= bytes.count, !isEnd { return nil }
        return index >= bytes.count ? bytes.count : max(1, MarkupSyntax.boundary(bytes, index))
    }

    /// Keeps `,`, `;` and `)` on the line of the brace that ends a block.
    private mutating func closedEnd(_ bytes: Span<UInt8>, _ index: Int, _ byte: UInt8) -> Int {
        var end = index
        guard byte == UInt8(ascii: "}") else { return end }
        while end < bytes.count, ",;)".utf8.contains(bytes[end]) {
            _ = breaks(behind: bytes[end])
            _ = syntax.take(bytes[end], 0)
            end += 1
        }
        return end
    }

    private mutating func breaks(behind byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"):
            depth = min(depth + 1, CodeScanner.depthMax)
            return true
        case UInt8(ascii: "}"):
            depth = max(0, depth - 1)
            parenthesisCount = 0
            return true
        case UInt8(ascii: "("): parenthesisCount = min(parenthesisCount + 1, CodeScanner.depthMax)
        case UInt8(ascii: ")"): parenthesisCount = max(0, parenthesisCount - 1)
        case UInt8(ascii: ";"): return parenthesisCount == 0
        default: break
        }
        return false
    }
}

/// Recognizes strings, comments and regular expressions of JavaScript and CSS, byte by byte.
struct CodeSyntax: Sendable {
    enum Mode: Sendable, Hashable {
        case code
        /// A string that ends with this quotation mark.
        case string(UInt8)
        case regularExpression(isInClass: Bool)
        case lineComment
        case blockComment
    }

    private let isScript: Bool
    private(set) var mode = Mode.code
    private var isEscaped = false
    /// The last visible byte of code; it tells a division from a regular expression.
    private var lastVisible: UInt8 = 0

    init(isScript: Bool, mode: Mode = .code) {
        self.isScript = isScript
        self.mode = mode
    }

    /// Takes a byte, given the next one; returns how many were taken, 1 or 2.
    mutating func take(_ byte: UInt8, _ next: UInt8) -> Int {
        switch mode {
        case .code: return takeCode(byte, next)
        case .string(let quote):
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == quote || byte == 0x0A && quote != UInt8(ascii: "`") {
                mode = .code
                lastVisible = quote
            }
        case .regularExpression(let isInClass):
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == 0x0A || byte == UInt8(ascii: "/") && !isInClass {
                mode = .code
                lastVisible = UInt8(ascii: "/")
            } else if byte == UInt8(ascii: "[") {
                mode = .regularExpression(isInClass: true)
            } else if byte == UInt8(ascii: "]") {
                mode = .regularExpression(isInClass: false)
            }
        case .lineComment:
            if byte == 0x0A { mode = .code }
        case .blockComment:
            if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                mode = .code
                return 2
            }
        }
        return 1
    }

    private mutating func takeCode(_ byte: UInt8, _ next: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): mode = .string(byte)
        case UInt8(ascii: "`") where isScript: mode = .string(byte)
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            mode = .blockComment
            return 2
        case UInt8(ascii: "/") where isScript && next == UInt8(ascii: "/"):
            mode = .lineComment
            return 2
        case UInt8(ascii: "/") where isScript && beginsExpression:
            mode = .regularExpression(isInClass: false)
        default: break
        }
        if !MarkupSyntax.isBlank(byte) { lastVisible = byte }
        return 1
    }

    /// Whether a slash here starts a regular expression: after an operator, not after a value.
    private var beginsExpression: Bool {
        lastVisible == 0 || "(,=:[!&|?{};+-*%<>~^".utf8.contains(lastVisible)
    }
}
