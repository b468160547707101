internal import ProxydParameterCoding

/// An image: what its header says. Nothing is decoded: to see the image, save it.
struct ImageViewer: BodyViewer {
    static let name = "image"

    /// Bytes in which a header has to be found.
    private static let headerByteCount = 256 << 10

    private let source: any BodySource
    private var line: StyledText?
    private var isHeaderKnown = false

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .image(let subtype) where !subtype.hasSuffix("xml"): 95
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.source = source }

    var lineCount: Int { line == nil ? 0 : 1 }
    var isComplete: Bool { isHeaderKnown }
    var indexedByteCount: Int { isHeaderKnown ? source.extent.byteCount : 0 }

    func lines(_ range: Range<Int>) -> [StyledText] {
        range.contains(0) ? line.map { [$0] } ?? [] : []
    }

    func offset(ofLine line: Int) -> Int? { line == 0 ? 0 : nil }
    func line(atOffset offset: Int) -> Int? { line == nil ? nil : 0 }

    mutating func advance(byteBudget: Int) {
        guard !isHeaderKnown else { return }
        let header = source.read(from: 0, byteCount: ImageViewer.headerByteCount)
        if let facts = ImageFacts(header) {
            isHeaderKnown = true
            line = ImageViewer.line(facts)
        } else {
            isHeaderKnown = source.extent.isComplete
            line = StyledText("no header of a known image format", .bad)
        }
    }

    private static func line(_ facts: ImageFacts) -> StyledText {
        var line = StyledText("\(facts.format.rawValue)  ", .heading)
        line.append("\(facts.width) × \(facts.height) pixels", .plain)
        line.append("  \(facts.details)", .dim)
        return line
    }
}
