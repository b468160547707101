internal import ProxydContentCoding
internal import ProxydParameterCoding

/// The pairs of a form: names and values decoded, with the raw text beside where that differs.
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
        index = LineIndex(FormScanner(), source)
        decoder = QueryDecoder(
            text: OctetText(declaredCharset: facts.mediaType?.charset) {
                Charset.text($0, label: $1)
            })
    }

    func render(_ line: FormScanner.Line, _ octets: [UInt8]) -> StyledText {
        if line.isContinuation {
            // A value goes on; as a name of its own it would read wrong.
            let pairs = decoder.decode([UInt8(ascii: "=")] + octets).pairs
            var rendered = StyledText()
            rendered.appendIndent(4)
            rendered.append(pairs.first?.value ?? "", .string)
            return rendered
        }
        return PairLine.line(octets, decoder)
    }
}
