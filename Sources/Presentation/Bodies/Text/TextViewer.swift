internal import ProxydParameterCoding

/// Shows text in its charset, unformatted.
struct TextViewer: ScanningViewer {
    static let name = "text"

    var index: LineIndex<TextScanner>
    private let encoding: TextEncoding

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .plainText: 60
        default: facts.looksLikeText ? 40 : 5
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        encoding = TextEncoding(facts)
        index = LineIndex(TextScanner(encoding), source)
    }

    var remark: String? { encoding.name }

    func render(_ line: TextScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        // An escape sequence right after another one is an error.
        let text = bytes.first == 0x1B ? bytes : line.escape + bytes
        rendered.append(text[...], .plain, encoding)
        return rendered
    }
}
