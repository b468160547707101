internal import ProxydContentCoding

/// Decodes a PNG to a small picture, row by row: the image itself is never in memory.
struct PNGDecoder: ImageDecoder {
    /// The maximum size of a row in bytes; a few rows are in memory at once, decoded and encoded.
    private static let rowByteCountMax = 2 << 20
    /// The cost of starting a row, in pixels.
    private static let rowCost = 32

    /// One pass over the image: all of it, or a part of an interlaced image (RFC 2083 §2.6).
    private struct Pass {
        let x: Int
        let y: Int
        let stepX: Int
        let stepY: Int
    }

    private static let interlaced = [
        Pass(x: 0, y: 0, stepX: 8, stepY: 8), Pass(x: 4, y: 0, stepX: 8, stepY: 8),
        Pass(x: 0, y: 4, stepX: 4, stepY: 8), Pass(x: 2, y: 0, stepX: 4, stepY: 4),
        Pass(x: 0, y: 2, stepX: 2, stepY: 4), Pass(x: 1, y: 0, stepX: 2, stepY: 2),
        Pass(x: 0, y: 1, stepX: 1, stepY: 2),
    ]

    private let source: any BodySource
    private let header: PNGHeader
    private var passes: [Pass]
    private var picture: Picture?
    private var palette: [UInt8] = []
    private var transparency: [UInt8] = []
    private var pending: [UInt8] = []
    private var row = 0
    private var previous: [UInt8] = []

    init?(_ source: any BodySource) {
        guard let header = PNGHeader(OctetReader(source.read(from: 0, byteCount: 64)))
        else { return nil }
        self.source = source
        self.header = header
        passes =
            header.isInterlaced
            ? PNGDecoder.interlaced : [Pass(x: 0, y: 0, stepX: 1, stepY: 1)]
        beginPass()
    }

    /// Two bytes cost about as much as a pixel; height and width have at most 24 bits each. The
    /// passes of an interlaced image have at most twice its rows.
    var pixelCost: Int {
        let byteCount = header.rowByteCount(header.width)
        guard byteCount <= PNGDecoder.rowByteCountMax else { return .max }
        let row = max(header.width, byteCount / 2)
        return header.height * (row + PNGDecoder.rowCost * (header.isInterlaced ? 2 : 1))
    }

    mutating func picture(widthMax: Int, heightMax: Int) -> Picture? {
        picture = Picture(
            sourceWidth: header.width, sourceHeight: header.height, widthMax: widthMax,
            heightMax: heightMax)
        let limits = DecodingLimits(decodedByteCountMax: 1 << 30, ratioMax: 2_000)
        guard picture != nil, let inflater = try? ContentDecoder([.deflate], limits: limits)
        else { return nil }
        readChunks(inflater)
        return picture
    }

    private mutating func readChunks(_ inflater: ContentDecoder) {
        var offset = 8
        while !passes.isEmpty {
            let head = OctetReader(source.read(from: offset, byteCount: 8))
            guard let length = head.big32(0), head.octets.count == 8 else { return }
            let start = offset + 8
            if head.starts("PLTE", at: 4) {
                palette = source.read(from: start, byteCount: min(length, 768))
            } else if head.starts("tRNS", at: 4) {
                transparency = source.read(from: start, byteCount: min(length, 256))
            } else if head.starts("IDAT", at: 4) {
                guard inflate(start..<start + length, inflater) else { return }
            } else if head.starts("IEND", at: 4) {
                return
            }
            offset = start + length + 4
        }
    }

    private mutating func inflate(_ range: Range<Int>, _ inflater: ContentDecoder) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            let octets = source.read(from: start, byteCount: min(4_096, range.upperBound - start))
            guard !octets.isEmpty else { return false }
            start += octets.count
            do throws(ContentCodingError) {
                try inflater.decode(octets.span, into: &pending)
            } catch {
                takeRows()
                return false
            }
            takeRows()
        }
        return true
    }

    private mutating func takeRows() {
        var start = 0
        while let pass = passes.first {
            let columnCount = (header.width - pass.x + pass.stepX - 1) / pass.stepX
            let count = header.rowByteCount(columnCount)
            guard pending.count - start > count else { break }
            var octets = Array(pending[(start + 1)...(start + count)])
            unfilter(pending[start], &octets)
            start += count + 1
            paint(octets, pass, columnCount)
            previous = octets
            row += 1
            if pass.y + row * pass.stepY >= header.height {
                passes.removeFirst()
                beginPass()
            }
        }
        pending.removeFirst(start)
    }

    /// Skips passes without pixels.
    private mutating func beginPass() {
        row = 0
        previous = []
        while let pass = passes.first, pass.x >= header.width || pass.y >= header.height {
            passes.removeFirst()
        }
    }

    /// Adds the predicted value from neighbouring bytes to each stored difference (RFC 2083 §6).
    private func unfilter(_ filter: UInt8, _ octets: inout [UInt8]) {
        let step = header.pixelByteCount
        let above = previous.count == octets.count ? previous : []
        for index in octets.indices {
            let left = index >= step ? octets[index - step] : 0
            let up = above.isEmpty ? 0 : above[index]
            let corner = above.isEmpty || index < step ? 0 : above[index - step]
            switch filter {
            case 1: octets[index] &+= left
            case 2: octets[index] &+= up
            case 3: octets[index] &+= UInt8(truncatingIfNeeded: (Int(left) + Int(up)) / 2)
            case 4: octets[index] &+= PNGDecoder.paeth(Int(left), Int(up), Int(corner))
            default: break
            }
        }
    }

    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> UInt8 {
        let estimate = left + up - corner
        let distances = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 {
            return UInt8(truncatingIfNeeded: left)
        }
        return UInt8(truncatingIfNeeded: distances.1 <= distances.2 ? up : corner)
    }

    private mutating func paint(_ octets: [UInt8], _ pass: Pass, _ columnCount: Int) {
        let y = pass.y + row * pass.stepY
        let samples = header.color.sampleCount
        for column in 0..<columnCount {
            let x = pass.x + column * pass.stepX
            let first = sample(octets, column * samples)
            switch header.color {
            case .grey: picture?.add(x: x, y: y, first, first, first, 255)
            case .greyAlpha:
                let alpha = sample(octets, column * 2 + 1)
                picture?.add(x: x, y: y, first, first, first, alpha)
            case .trueColor, .trueColorAlpha:
                let alpha = samples == 4 ? sample(octets, column * 4 + 3) : 255
                let green = sample(octets, column * samples + 1)
                let blue = sample(octets, column * samples + 2)
                picture?.add(x: x, y: y, first, green, blue, alpha)
            case .palette:
                let index = Int(first)
                guard index * 3 + 2 < palette.count else { continue }
                let alpha = index < transparency.count ? transparency[index] : 255
                picture?.add(
                    x: x, y: y, palette[index * 3], palette[index * 3 + 1],
                    palette[index * 3 + 2], alpha)
            }
        }
    }

    /// A sample scaled to eight bits; for a palette, the index itself.
    private func sample(_ octets: [UInt8], _ index: Int) -> UInt8 {
        switch header.bitDepth {
        case 8: return index < octets.count ? octets[index] : 0
        case 16: return index * 2 < octets.count ? octets[index * 2] : 0
        default:
            let depth = header.bitDepth
            let bit = index * depth
            guard bit / 8 < octets.count else { return 0 }
            let mask = UInt8(1) << UInt8(depth) &- 1
            let value = octets[bit / 8] >> UInt8(8 - depth - bit % 8) & mask
            return header.color == .palette ? value : value &* (255 / mask)
        }
    }
}
