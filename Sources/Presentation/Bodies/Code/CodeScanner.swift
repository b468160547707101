/// Finds the lines of JavaScript and CSS, with breaks where statements and blocks start and end, so
/// that minified code is readable. The text itself is not changed.
struct CodeScanner: LineScanner {
    struct Line: ScannedLine {
        let range: Range<Int>
        let depth: Int
        /// The mode at the start of the line.
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

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
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
    private mutating func closedEnd(
        _ bytes: Span<UInt8>, _ index: Int, _ byte: UInt8
    ) -> Int {
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
