/// Finds the parts of HTML and XML that become lines: tags, texts, comments. Nothing is executed,
/// expanded or looked up: the source is shown as written.
struct MarkupScanner: LineScanner {
    struct Line: ScannedLine {
        enum Kind: Sendable {
            /// A tag, possibly with its short text and its end tag.
            case tag
            case text
            /// Comments, declarations, processing instructions.
            case aside
            /// The content of scripts and styles.
            case raw
        }

        let range: Range<Int>
        let kind: Kind
        let depth: Int
    }

    /// The maximum number of open elements; deeper ones are not distinguished.
    private static let openCountMax = 200
    /// An element with a shorter text stays on one line with it.
    private static let inlineByteCountMax = 200

    private enum Mode: Sendable {
        case normal
        /// In a tag or comment that was split; it ends with these bytes.
        case inside([UInt8], Line.Kind)
        /// In the content of an element that is not markup.
        case raw(name: [UInt8])
    }

    private let isHTML: Bool
    /// The names of the open elements.
    private var open: [[UInt8]] = []
    private var mode = Mode.normal

    init(isHTML: Bool) { self.isHTML = isHTML }

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        switch mode {
        case .inside(let end, let kind): return inside(end, kind, bytes, offset, isEnd)
        case .raw(let name): return raw(name, bytes, offset, isEnd)
        case .normal: break
        }
        var blankCount = 0
        while blankCount < bytes.count, MarkupSyntax.isBlank(bytes[blankCount]) {
            blankCount += 1
        }
        if blankCount > 0 { return .passed(byteCount: blankCount) }
        if bytes[0] != UInt8(ascii: "<") { return text(bytes, offset, isEnd) }
        switch MarkupSyntax.construct(bytes, isEnd: isEnd) {
        case nil: return .needsMore
        case .text?: return text(bytes, offset, isEnd)
        case .aside(let end)?: return aside(end, bytes, offset, isEnd)
        case .endTag?, .startTag?: return tag(bytes, offset, isEnd)
        }
    }

    // MARK: Texts and asides

    private func text(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var end = 1
        while end < limit, bytes[end] != UInt8(ascii: "<"), bytes[end] != 0x0A { end += 1 }
        if end == bytes.count, !isEnd { return .needsMore }
        if end == limit { end = MarkupSyntax.boundary(bytes, end) }
        var content = end
        while content > 1, MarkupSyntax.isBlank(bytes[content - 1]) { content -= 1 }
        return .line(
            Line(range: offset..<offset + content, kind: .text, depth: open.count),
            byteCount: end)
    }

    private mutating func aside(
        _ end: [UInt8], _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        inside(end, .aside, bytes, offset, isEnd)
    }

    /// Continues to the end of a construct, or to where a line has to be split.
    private mutating func inside(
        _ end: [UInt8], _ kind: Line.Kind, _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var index = 0
        while index < limit, bytes[index] != 0x0A || index == 0 {
            if MarkupSyntax.hasSuffix(end, bytes, index + 1) {
                mode = .normal
                return .line(
                    Line(range: offset..<offset + index + 1, kind: kind, depth: open.count),
                    byteCount: index + 1)
            }
            index += 1
        }
        if index == bytes.count, !isEnd { return .needsMore }
        mode = .inside(end, kind)
        let isLineEnd = index < limit
        let cut = isLineEnd ? index : MarkupSyntax.boundary(bytes, index)
        return .line(
            Line(range: offset..<offset + cut, kind: kind, depth: open.count),
            byteCount: isLineEnd ? cut + 1 : cut)
    }

    // MARK: Tags

    private mutating func tag(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        guard let tag = MarkupSyntax.tag(bytes) else {
            if bytes.count > TextScanner.lineByteCountMax || isEnd {
                return inside([UInt8(ascii: ">")], .tag, bytes, offset, isEnd)
            }
            return .needsMore
        }
        if tag.isEnd {
            close(tag.name)
            return line(tag.byteCount, offset)
        }
        let isVoid = tag.isSelfClosing || isHTML && MarkupSyntax.isVoid(tag.name)
        if isVoid { return line(tag.byteCount, offset) }
        if isHTML, MarkupSyntax.isRaw(tag.name) {
            let line = line(tag.byteCount, offset)
            push(tag.name)
            mode = .raw(name: tag.name)
            return line
        }
        switch inlineEnd(tag, bytes, isEnd) {
        case .some(let end): return line(end, offset)
        case nil where bytes.count - tag.byteCount < MarkupScanner.inlineByteCountMax && !isEnd:
            return .needsMore
        case nil: break
        }
        let line = line(tag.byteCount, offset)
        push(tag.name)
        return line
    }

    private func line(_ byteCount: Int, _ offset: Int) -> ScanResult<Line> {
        .line(
            Line(range: offset..<offset + byteCount, kind: .tag, depth: open.count),
            byteCount: byteCount)
    }

    /// The end of an end tag that follows a start tag and a short text directly.
    private func inlineEnd(
        _ tag: MarkupSyntax.Tag, _ bytes: Span<UInt8>, _ isEnd: Bool
    ) -> Int? {
        let limit = min(bytes.count, tag.byteCount + MarkupScanner.inlineByteCountMax)
        var end = tag.byteCount
        while end < limit, bytes[end] != UInt8(ascii: "<"), bytes[end] != 0x0A { end += 1 }
        guard end < limit, bytes[end] == UInt8(ascii: "<"),
            let closing = MarkupSyntax.tag(bytes.extracting(end..<bytes.count)),
            closing.isEnd, closing.name == tag.name
        else { return nil }
        return end + closing.byteCount
    }

    private mutating func push(_ name: [UInt8]) {
        if open.count < MarkupScanner.openCountMax { open.append(name) }
    }

    /// Closes the element with a name, and elements inside it that were left open.
    private mutating func close(_ name: [UInt8]) {
        guard let index = open.lastIndex(of: name) else { return }
        open.removeSubrange(index...)
    }

    // MARK: Scripts and styles

    private mutating func raw(
        _ name: [UInt8], _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var index = 0
        while index < limit, bytes[index] != 0x0A {
            if bytes[index] == UInt8(ascii: "<") {
                if bytes.count - index < name.count + 3, !isEnd { return .needsMore }
                if MarkupSyntax.isEndTag(name, bytes, index) { break }
            }
            index += 1
        }
        if index == bytes.count, !isEnd { return .needsMore }
        if index < limit, bytes[index] == UInt8(ascii: "<") { mode = .normal }
        if index == limit, index < bytes.count { index = MarkupSyntax.boundary(bytes, index) }
        let isLineEnd = index < bytes.count && bytes[index] == 0x0A
        var start = 0
        while start < index, MarkupSyntax.isBlank(bytes[start]) { start += 1 }
        if start == index {
            // Blank lines of a script are skipped; its end tag comes next.
            if index == 0, !isLineEnd { return next(bytes, at: offset, isEnd: isEnd) }
            return .passed(byteCount: isLineEnd ? index + 1 : index)
        }
        return .line(
            Line(range: offset..<offset + index, kind: .raw, depth: open.count),
            byteCount: isLineEnd ? index + 1 : index)
    }
}
