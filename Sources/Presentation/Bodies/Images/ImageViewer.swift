internal import ProxydParameterCoding

/// Shows the header of an image, and a picture in half blocks if its format can be decoded.
struct ImageViewer: BodyViewer {
    static let name = "image"

    /// The maximum size of an image that is drawn in bytes, and the maximum cost of its pixels.
    private static let byteCountMax = 64 << 20
    private static let pixelCostMax = 100_000_000
    /// How many pixels can be decoded at about the cost of examining one byte.
    private static let pixelsPerByte = 4
    /// With a byte budget of at least this size, any image that can be drawn is drawn.
    private static let patientByteBudget = 8 << 20
    /// How many bytes are searched for a header.
    private static let headerByteCount = 256 << 10

    private let source: any BodySource
    private var size = (columns: 80, rows: 20)
    private var all: [StyledText] = []
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

    func lines(_ range: Range<Int>) -> [StyledText] { Array(all[range.clamped(to: all.indices)]) }
    func offset(ofLine line: Int) -> Int? { all.indices.contains(line) ? 0 : nil }
    func line(atOffset offset: Int) -> Int? { all.isEmpty ? nil : 0 }

    mutating func fit(columnCount: Int, rowCount: Int) {
        let size = (columns: columnCount, rows: rowCount)
        if size != self.size, state == .drawn { state = .waiting }
        self.size = size
    }

    mutating func advance(byteBudget: Int) {
        guard state == .waiting else { return }
        let extent = source.extent
        let header = source.read(from: 0, byteCount: ImageViewer.headerByteCount)
        guard let facts = ImageFacts(header) else {
            all = [StyledText("no header of a known image format", .bad)]
            if extent.isComplete { state = .drawn }
            return
        }
        all = describe(facts, isDecodable: facts.format.decoder != nil)
        guard let decoder = facts.format.decoder else {
            state = .drawn
            return
        }
        guard extent.byteCount <= ImageViewer.byteCountMax else {
            return end(StyledText("too large to draw", .bad))
        }
        guard extent.isComplete else { return }
        let isPatient = byteBudget >= ImageViewer.patientByteBudget
        guard isPatient || extent.byteCount <= byteBudget else { return }
        decode(decoder, isPatient ? .max : byteBudget - extent.byteCount)
    }

    /// Draws the picture unless that costs more than examining `byteBudget` bytes.
    private mutating func decode(_ type: any ImageDecoder.Type, _ byteBudget: Int) {
        guard var decoder = type.init(source) else {
            return end(StyledText("the picture cannot be decoded", .bad))
        }
        guard decoder.pixelCost <= ImageViewer.pixelCostMax else {
            return end(StyledText("too many pixels to draw", .bad))
        }
        guard decoder.pixelCost / ImageViewer.pixelsPerByte <= byteBudget else { return }
        let picture = decoder.picture(
            widthMax: max(1, size.columns), heightMax: max(2, (size.rows - all.count) * 2))
        guard let picture else {
            return end(StyledText("the picture cannot be decoded", .bad))
        }
        all += picture.lines()
        state = .drawn
    }

    private mutating func end(_ line: StyledText) {
        all.append(line)
        state = .drawn
    }

    private func describe(_ facts: ImageFacts, isDecodable: Bool) -> [StyledText] {
        var line = StyledText("\(facts.format.rawValue)  ", .heading)
        line.append("\(facts.width) × \(facts.height) pixels", .plain)
        line.append("  \(facts.details)", .dim)
        if isDecodable { return [line, StyledText()] }
        return [line, StyledText("pictures of this format are not drawn", .dim)]
    }
}
