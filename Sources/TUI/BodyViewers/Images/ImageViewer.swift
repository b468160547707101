internal import ParameterCoding

/// An image: what its header says, and a picture in half blocks where its format can be decoded.
struct ImageViewer: BodyViewer {
    static let name = "image"

    /// Octets of an image that is drawn, and its pixels.
    private static let byteCountMax = 64 << 20
    private static let pixelCountMax = 100_000_000
    /// Looking at so many octets costs about as much as decoding one pixel.
    private static let pixelsPerByte = 4
    /// Octets in which a header has to be found.
    private static let headerByteCount = 256 << 10

    private let source: any BodySource
    private var size = Size(columns: 80, rows: 20)
    private var all: [ViewerLine] = []
    private var state = State.waiting

    private enum State: Hashable {
        case waiting
        case drawn
    }

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .image(let subtype) where !subtype.hasSuffix("xml"): 95
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.source = source }

    var lineCount: Int { all.count }
    var isComplete: Bool { state == .drawn }
    var indexedByteCount: Int { state == .drawn ? source.extent.byteCount : 0 }

    func lines(_ range: Range<Int>) -> [ViewerLine] { Array(all[range.clamped(to: all.indices)]) }
    func offset(ofLine line: Int) -> Int? { all.indices.contains(line) ? 0 : nil }
    func line(atOffset offset: Int) -> Int? { all.isEmpty ? nil : 0 }

    mutating func fit(columnCount: Int, rowCount: Int) {
        let size = Size(columns: columnCount, rows: rowCount)
        if size != self.size, state == .drawn { state = .waiting }
        self.size = size
    }

    mutating func advance(byteBudget: Int) {
        guard state == .waiting else { return }
        let extent = source.extent
        let header = source.read(from: 0, byteCount: ImageViewer.headerByteCount)
        guard let facts = ImageFacts(header) else {
            all = [ViewerLine("no header of a known image format", .bad)]
            if extent.isComplete { state = .drawn }
            return
        }
        let isDecodable = facts.format == .png || facts.format == .gif || facts.format == .jpeg
        all = describe(facts, isDecodable)
        guard isDecodable else {
            state = .drawn
            return
        }
        guard extent.isComplete || extent.byteCount >= ImageViewer.byteCountMax else { return }
        let (pixelCount, isOver) = facts.width.multipliedReportingOverflow(by: facts.height)
        guard !isOver, pixelCount <= ImageViewer.pixelCountMax else {
            all.append(ViewerLine("too many pixels to draw", .bad))
            state = .drawn
            return
        }
        let cost = pixelCount / ImageViewer.pixelsPerByte
        guard cost <= byteBudget || byteBudget >= 8 << 20 else { return }
        draw(facts)
        state = .drawn
    }

    private func describe(_ facts: ImageFacts, _ isDecodable: Bool) -> [ViewerLine] {
        var line = ViewerLine("\(facts.format.rawValue)  ", .heading)
        line.append("\(facts.width) × \(facts.height) pixels", .plain)
        line.append("  \(facts.details)", .dim)
        if isDecodable { return [line, ViewerLine()] }
        return [line, ViewerLine("pictures of this format are not drawn", .dim)]
    }

    private mutating func draw(_ facts: ImageFacts) {
        let width = max(1, size.columns)
        let height = max(2, (size.rows - all.count) * 2)
        let picture: Picture? =
            switch facts.format {
            case .png: PNGDecoder.picture(source, widthMax: width, heightMax: height)
            case .gif: GIFDecoder.picture(source, widthMax: width, heightMax: height)
            case .jpeg: JPEGDecoder.picture(source, widthMax: width, heightMax: height)
            case .webp, .bmp: nil
            }
        if let picture {
            all += picture.lines()
        } else {
            all.append(ViewerLine("the picture cannot be decoded", .bad))
        }
    }
}
