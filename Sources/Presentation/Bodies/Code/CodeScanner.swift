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
        _ octets: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        var blankCount = 0
        // Inside strings and comments white space is content.
        while syntax.mode == .code, blankCount < octets.count,
            MarkupSyntax.isBlank(octets[blankCount])
        {
            blankCount += 1
        }
        if blankCount > 0 { return .passed(byteCount: blankCount) }
        if octets.isEmpty { return isEnd ? .ended : .needsMore }
        var state = self
        guard let end = state.advance(octets, isEnd: isEnd) else { return .needsMore }
        var content = end
        while content > 0, MarkupSyntax.isBlank(octets[content - 1]) { content -= 1 }
        let closes = syntax.mode == .code && octets[0] == UInt8(ascii: "}")
        let line = Line(
            range: offset..<offset + content, depth: max(0, depth - (closes ? 1 : 0)),
            mode: syntax.mode)
        self = state
        return .line(line, byteCount: end)
    }

    /// Reads to the end of the line; returns nil if it is not in view.
    private mutating func advance(_ octets: Span<UInt8>, isEnd: Bool) -> Int? {
        let limit = min(octets.count, TextScanner.lineByteCountMax)
        var index = 0
        while index < limit {
            // Comments and regular expressions start with two bytes.
            if index + 1 >= octets.count, !isEnd { return nil }
            let octet = octets[index]
            let wasCode = syntax.mode == .code
            index += syntax.take(octet, index + 1 < octets.count ? octets[index + 1] : 0)
            if octet == 0x0A { return index }
            guard wasCode, syntax.mode == .code else { continue }
            if breaks(behind: octet) { return closedEnd(octets, index, octet) }
            // The end of a block starts a new line.
            if index < limit, octets[index] == UInt8(ascii: "}"), octet != UInt8(ascii: "{") {
                return index
            }
        }
        if index >= octets.count, !isEnd { return nil }
        return index >= octets.count ? octets.count : max(1, MarkupSyntax.boundary(octets, index))
    }

    /// Keeps `,`, `;` and `)` on the line of the brace that ends a block.
    private mutating func closedEnd(
        _ octets: Span<UInt8>, _ index: Int, _ octet: UInt8
    ) -> Int {
        var end = index
        guard octet == UInt8(ascii: "}") else { return end }
        while end < octets.count, ",;)".utf8.contains(octets[end]) {
            _ = breaks(behind: octets[end])
            _ = syntax.take(octets[end], 0)
            end += 1
        }
        return end
    }

    private mutating func breaks(behind octet: UInt8) -> Bool {
        switch octet {
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
