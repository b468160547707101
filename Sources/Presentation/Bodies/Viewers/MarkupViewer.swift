internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Shows HTML and XML, indented and coloured.
struct MarkupViewer: ScanningViewer {
    static let name = "markup"
    static let readsAnyCharset = false

    var index: LineIndex<MarkupScanner>
    private let encoding: TextEncoding

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .html, .xml, .propertyListXML: 85
        case .image(let subtype) where subtype.hasSuffix("xml"): 85
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        encoding = TextEncoding(facts)
        index = LineIndex(MarkupScanner(isHTML: facts.kind == .html), source)
    }

    var remark: String? { encoding.name }

    func render(_ line: MarkupScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        var bytes = bytes[...]
        if line.range.lowerBound == 0 { bytes = bytes.dropFirst(encoding.markByteCount) }
        switch line.kind {
        case .tag: appendTags(bytes, to: &rendered)
        case .text: rendered.append(bytes, .plain, encoding)
        case .aside: rendered.append(bytes, .comment, encoding)
        case .raw: rendered.append(bytes, .string, encoding)
        }
        return rendered
    }

    private func appendTags(_ bytes: ArraySlice<UInt8>, to line: inout StyledText) {
        var rest = bytes
        while let first = rest.first {
            if first == UInt8(ascii: "<") {
                let end = tagEnd(rest)
                appendTag(rest[rest.startIndex..<end], to: &line)
                rest = rest[end...]
            } else {
                let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
                line.append(rest[rest.startIndex..<end], .plain, encoding)
                rest = rest[end...]
            }
        }
    }

    private func tagEnd(_ bytes: ArraySlice<UInt8>) -> Int {
        let owned = Array(bytes)
        let count = MarkupSyntax.tag(owned.span)?.byteCount ?? bytes.count
        return bytes.startIndex + max(1, count)
    }

    private func appendTag(_ bytes: ArraySlice<UInt8>, to line: inout StyledText) {
        let nameEnd =
            bytes.dropFirst(2).firstIndex { MarkupSyntax.isBlank($0) || $0 == 0x3E }
            ?? bytes.endIndex
        line.append(bytes[bytes.startIndex..<nameEnd], .tag, encoding)
        var rest = bytes[nameEnd...]
        while let first = rest.first {
            var end = rest.startIndex + 1
            var style = Style.attribute
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                style = .string
                end = rest[end...].firstIndex(of: first).map { $0 + 1 } ?? rest.endIndex
            } else if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") {
                style = .tag
            } else if first == UInt8(ascii: "=") {
                style = .punctuation
            } else {
                end = rest[end...].firstIndex { "\"'>/=".utf8.contains($0) } ?? rest.endIndex
            }
            line.append(rest[rest.startIndex..<end], style, encoding)
            rest = rest[end...]
        }
    }
}

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

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
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

    private func text(_ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool) -> ScanResult<Line> {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        var end = 1
        while end < limit, bytes[end] != UInt8(ascii: "<"), bytes[end] != 0x0A { end += 1 }
        if end == bytes.count, !isEnd { return .needsMore }
        if end == limit { end = MarkupSyntax.boundary(bytes, end) }
        var content = end
        while content > 1, MarkupSyntax.isBlank(bytes[content - 1]) { content -= 1 }
        return .line(
            Line(range: offset..<offset + content, kind: .text, depth: open.count), byteCount: end)
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
    private func inlineEnd(_ tag: MarkupSyntax.Tag, _ bytes: Span<UInt8>, _ isEnd: Bool) -> Int? {
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

/// The grammar of tags, as far as it is needed for layout.
enum MarkupSyntax {
    enum Construct {
        case startTag, endTag
        /// A comment, declaration or processing instruction, up to these bytes.
        case aside(end: [UInt8])
        /// A `<` that starts nothing.
        case text
    }

    struct Tag {
        /// The name in lower case.
        let name: [UInt8]
        let isEnd: Bool
        let isSelfClosing: Bool
        /// The size in bytes, including the brackets.
        let byteCount: Int
    }

    private static let voidNames = names(
        "area base br col embed hr img input link meta source track wbr")
    private static let rawNames = names("script style textarea title")

    private static func names(_ list: String) -> Set<[UInt8]> {
        Set(list.utf8.split(separator: 0x20).map { Array($0) })
    }

    /// Whether an HTML element has no content and no end tag.
    static func isVoid(_ name: [UInt8]) -> Bool { voidNames.contains(name) }
    /// Whether an element's content is text up to its end tag, whatever it looks like.
    static func isRaw(_ name: [UInt8]) -> Bool { rawNames.contains(name) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    /// The construct that a `<` starts, or nil if more bytes are needed to decide.
    static func construct(_ bytes: Span<UInt8>, isEnd: Bool) -> Construct? {
        guard bytes.count >= 9 || isEnd else { return nil }
        guard bytes.count > 1 else { return .text }
        switch bytes[1] {
        case UInt8(ascii: "!"):
            if starts("<!--", bytes) { return .aside(end: Array("-->".utf8)) }
            if starts("<![CDATA[", bytes) { return .aside(end: Array("]]>".utf8)) }
            return .aside(end: Array(">".utf8))
        case UInt8(ascii: "?"): return .aside(end: Array("?>".utf8))
        case UInt8(ascii: "/"): return .endTag
        case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"): return .startTag
        default: return .text
        }
    }

    /// The tag at the start, or nil if it does not end within the maximum length of a line.
    static func tag(_ bytes: Span<UInt8>) -> Tag? {
        let limit = min(bytes.count, TextScanner.lineByteCountMax)
        guard limit > 1 else { return nil }
        let isEnd = bytes[1] == UInt8(ascii: "/")
        var index = isEnd ? 2 : 1
        var name: [UInt8] = []
        while index < limit, !isBlank(bytes[index]), bytes[index] != UInt8(ascii: ">"),
            bytes[index] != UInt8(ascii: "/")
        {
            name.append(ASCII.lowercased(bytes[index]))
            index += 1
        }
        var quote: UInt8?
        while index < limit {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return Tag(
                    name: name, isEnd: isEnd,
                    isSelfClosing: bytes[index - 1] == UInt8(ascii: "/"), byteCount: index + 1)
            }
            index += 1
        }
        return nil
    }

    static func isEndTag(_ name: [UInt8], _ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index + 2 + name.count <= bytes.count,
            bytes[index + 1] == UInt8(ascii: "/")
        else { return false }
        for (step, byte) in name.enumerated()
        where ASCII.lowercased(bytes[index + 2 + step]) != byte {
            return false
        }
        return true
    }

    /// Whether the bytes before an index end with a suffix.
    static func hasSuffix(_ suffix: [UInt8], _ bytes: Span<UInt8>, _ end: Int) -> Bool {
        guard end >= suffix.count, end <= bytes.count else { return false }
        for (step, byte) in suffix.enumerated()
        where bytes[end - suffix.count + step] != byte {
            return false
        }
        return true
    }

    /// A position to split at that is not inside a character.
    static func boundary(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        guard index < bytes.count else { return index }
        var cut = index
        while cut > 1, index - cut < 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }

    private static func starts(_ literal: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.count >= count else { return false }
        let text = UnsafeBufferPointer(start: literal.utf8Start, count: count)
        for index in 0..<count where bytes[index] != text[index] { return false }
        return true
    }
}
