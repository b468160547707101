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

    /// Appends tags and the text between them.
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
