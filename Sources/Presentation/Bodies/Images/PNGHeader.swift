/// The header chunk of a PNG (RFC 2083 §4.1.1).
struct PNGHeader {
    enum Color: UInt8 {
        case grey = 0
        case trueColor = 2
        case palette = 3
        case greyAlpha = 4
        case trueColorAlpha = 6

        var sampleCount: Int {
            switch self {
            case .grey, .palette: 1
            case .greyAlpha: 2
            case .trueColor: 3
            case .trueColorAlpha: 4
            }
        }

        var name: String {
            switch self {
            case .grey: "grey"
            case .trueColor: "colour"
            case .palette: "palette"
            case .greyAlpha: "grey with transparency"
            case .trueColorAlpha: "colour with transparency"
            }
        }
    }

    let width: Int
    let height: Int
    let bitDepth: Int
    let color: Color
    let isInterlaced: Bool

    /// Parses the header at its fixed position; returns nil if it is invalid.
    init?(_ reader: ByteReader) {
        guard reader.starts("IHDR", at: 12), let width = reader.big32(16),
            let height = reader.big32(20), let depth = reader[24],
            let color = reader[25].flatMap(Color.init(rawValue:)), let interlace = reader[28],
            width > 0, height > 0, width <= 1 << 24, height <= 1 << 24,
            [1, 2, 4, 8, 16].contains(depth), depth == 8 || depth == 16 || color.sampleCount == 1,
            !(color == .palette && depth == 16)
        else { return nil }
        self.width = width
        self.height = height
        self.color = color
        bitDepth = Int(depth)
        isInterlaced = interlace == 1
    }
}
