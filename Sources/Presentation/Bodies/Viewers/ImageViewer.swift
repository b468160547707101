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

package struct ImageFacts: Sendable, Hashable {
    /// A format of pixels; each is recognised by its signature.
    package enum Format: String, Sendable {
        case png = "PNG"
        case jpeg = "JPEG"
        case gif = "GIF"
        case webp = "WebP"
        case bmp = "BMP"

        package var mediaType: String { "image/\(rawValue.lowercased())" }
    }

    package var format: Format
    var width: Int
    var height: Int
    /// Colours, depth and compression as one phrase.
    var details: String

    /// Parses the first bytes of an image; returns nil if the format is unknown.
    package init?(_ bytes: [UInt8]) {
        let reader = ByteReader(bytes: bytes)
        if let facts = ImageFacts.png(reader) ?? ImageFacts.gif(reader)
            ?? ImageFacts.webp(reader) ?? ImageFacts.bmp(reader) ?? ImageFacts.jpeg(reader)
        {
            self = facts
        } else {
            return nil
        }
    }

    private init(_ format: Format, _ width: Int?, _ height: Int?, _ details: String) {
        self.format = format
        self.width = width ?? 0
        self.height = height ?? 0
        self.details = details
    }

    private static func png(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            let header = PNGHeader(reader)
        else { return nil }
        let interlaced = header.isInterlaced ? ", interlaced" : ""
        return ImageFacts(
            .png, header.width, header.height,
            "\(header.color.name), \(header.bitDepth) bit\(interlaced)")
    }

    private static func gif(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("GIF87a") || reader.starts("GIF89a") else { return nil }
        let flags = reader[10] ?? 0
        let colors = flags & 0x80 != 0 ? 2 << Int(flags & 7) : 0
        return ImageFacts(
            .gif, reader.little16(6), reader.little16(8),
            colors > 0 ? "\(colors) colours" : "no global colours")
    }

    private static func bmp(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("BM"), let width = reader.little32(18),
            let height = reader.little32(22), let bits = reader.little16(28)
        else { return nil }
        let signed = Int32(truncatingIfNeeded: height)
        return ImageFacts(.bmp, width, Int(signed.magnitude), "\(bits) bit")
    }

    /// Parses WebP, which has one of three kinds of first chunk (RFC 9649 §2).
    private static func webp(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("RIFF"), reader.starts("WEBP", at: 8) else { return nil }
        if reader.starts("VP8X", at: 12) {
            let flags = reader[20] ?? 0
            let kind = flags & 0x02 != 0 ? "animated" : "extended"
            let alpha = flags & 0x10 != 0 ? ", transparent" : ""
            return ImageFacts(
                .webp, reader.little24(24).map { $0 + 1 }, reader.little24(27).map { $0 + 1 },
                kind + alpha)
        }
        if reader.starts("VP8L", at: 12), let bits = reader.little32(21) {
            return ImageFacts(.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1, "lossless")
        }
        if reader.starts("VP8 ", at: 12) {
            return ImageFacts(
                .webp, reader.little16(26).map { $0 & 0x3FFF },
                reader.little16(28).map { $0 & 0x3FFF }, "lossy")
        }
        return ImageFacts(.webp, nil, nil, "unknown kind")
    }

    /// Parses JPEG: the first frame header among the segments in view (ITU-T T.81 annex B).
    private static func jpeg(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts([0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while let marker = reader[position + 1], reader[position] == 0xFF {
            if marker == 0xFF {
                position += 1
                continue
            }
            let isFrame = 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame, let components = reader[position + 9] {
                let isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(marker)
                let kind = isProgressive ? "progressive" : "baseline"
                return ImageFacts(
                    .jpeg, reader.big16(position + 7), reader.big16(position + 5),
                    "\(kind), \(components == 1 ? "grey" : "\(components) components")")
            }
            guard marker != 0xD9, marker != 0xDA, let length = reader.big16(position + 2) else {
                break
            }
            position += 2 + max(2, length)
        }
        return ImageFacts(.jpeg, nil, nil, "no frame found")
    }
}

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

/// Reads integers from bytes; returns nil beyond their end.
struct ByteReader {
    let bytes: [UInt8]

    subscript(index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    func little16(_ index: Int) -> Int? { little(index, 2) }
    func little24(_ index: Int) -> Int? { little(index, 3) }
    func little32(_ index: Int) -> Int? { little(index, 4) }
    func big16(_ index: Int) -> Int? { big(index, 2) }
    func big32(_ index: Int) -> Int? { big(index, 4) }

    func starts(_ signature: [UInt8], at index: Int = 0) -> Bool {
        index <= bytes.count && bytes[index...].starts(with: signature)
    }

    func starts(_ signature: String, at index: Int = 0) -> Bool {
        starts(Array(signature.utf8), at: index)
    }

    /// Reads an unsigned big-endian integer of at most seven bytes.
    func big(_ index: Int, _ byteCount: Int) -> Int? {
        guard index >= 0, byteCount <= bytes.count, index <= bytes.count - byteCount else {
            return nil
        }
        return bytes[index..<index + byteCount].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ index: Int, _ byteCount: Int) -> Int? {
        guard index >= 0, byteCount <= bytes.count, index <= bytes.count - byteCount else {
            return nil
        }
        return bytes[index..<index + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
