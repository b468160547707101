internal import ProxydParameterCoding

/// Shows the pairs of a form with names and values decoded, and the raw text beside them if it
/// differs.
struct FormViewer: ScanningViewer {
    static let name = "form"

    var index: LineIndex<FormScanner>
    private let decoder: QueryDecoder

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .form: 90
        case .plainText where facts.beginning.contains(UInt8(ascii: "=")): 20
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        // The field that names the charset may be anywhere.
        let bytes = source.read(from: 0, byteCount: BodyFacts.charsetByteCount)
        let text = ByteText(ofForm: bytes.span, declaredCharset: facts.mediaType?.charset)
        index = LineIndex(FormScanner(text), source)
        decoder = QueryDecoder(text: text)
    }

    func render(_ line: FormScanner.Line, _ bytes: [UInt8]) -> StyledText {
        if line.isContinuation {
            // This is the rest of a value; decoded as a name it would read wrong.
            let escape = FormScanner.beginsWithEscape(bytes.span) ? [] : line.escape
            let pairs = decoder.decode([UInt8(ascii: "=")] + escape + bytes).pairs
            var rendered = StyledText()
            rendered.appendIndent(4)
            rendered.append(pairs.first?.value ?? "", .string)
            return rendered
        }
        return PairLine.line(bytes, decoder)
    }
}
