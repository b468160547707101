/// Decodes the first frame of a GIF (CompuServe, GIF89a) into a small picture.
struct GIFDecoder {
    /// A frame's data is read up to here.
    private static let dataByteCountMax = 16 << 20

    private var picture: Picture
    private var palette: [UInt8]
    private var transparentIndex: Int?

    /// The picture of a GIF's first frame; nil where there is none.
    static func picture(_ source: any BodySource, widthMax: Int, heightMax: Int) -> Picture? {
        let head = OctetReader(source.read(from: 0, byteCount: 1_024))
        guard let facts = ImageFacts(head.octets), facts.format == .gif, let flags = head[10],
            let picture = Picture(
                sourceWidth: facts.width, sourceHeight: facts.height, widthMax: widthMax,
                heightMax: heightMax)
        else { return nil }
        let colorCount = flags & 0x80 != 0 ? 2 << Int(flags & 7) : 0
        let palette = source.read(from: 13, byteCount: colorCount * 3)
        var decoder = GIFDecoder(picture: picture, palette: palette)
        guard decoder.findFrame(source, from: 13 + colorCount * 3) else { return nil }
        return decoder.picture
    }

    /// Passes over extensions up to the first frame, and decodes it.
    private mutating func findFrame(_ source: any BodySource, from start: Int) -> Bool {
        var offset = start
        while true {
            let block = OctetReader(source.read(from: offset, byteCount: 16))
            switch block[0] {
            case 0x21:
                if block[1] == 0xF9, let flags = block[3], flags & 1 == 1 {
                    transparentIndex = block[6].map { Int($0) }
                }
                offset = GIFDecoder.blocksEnd(source, from: offset + 2)
            case 0x2C: return frame(source, block, offset)
            default: return false
            }
        }
    }

    /// Behind a chain of blocks, each with its length in front.
    private static func blocksEnd(_ source: any BodySource, from start: Int) -> Int {
        var offset = start
        while let length = source.read(from: offset, byteCount: 1).first, length > 0 {
            offset += 1 + Int(length)
        }
        return offset + 1
    }

    private mutating func frame(
        _ source: any BodySource, _ block: OctetReader, _ offset: Int
    ) -> Bool {
        guard let left = block.little16(1), let top = block.little16(3),
            let width = block.little16(5), let height = block.little16(7), let flags = block[9]
        else { return false }
        var start = offset + 10
        if flags & 0x80 != 0 {
            let byteCount = (2 << Int(flags & 7)) * 3
            palette = source.read(from: start, byteCount: byteCount)
            start += byteCount
        }
        guard let codeSize = source.read(from: start, byteCount: 1).first else { return false }
        let data = GIFDecoder.data(source, from: start + 1)
        let order = GIFDecoder.rows(height, isInterlaced: flags & 0x40 != 0)
        var position = 0
        LZWDecoder.decode(data, codeSize: Int(codeSize), countMax: width * height) { index in
            let (row, column) = position.quotientAndRemainder(dividingBy: max(1, width))
            position += 1
            guard row < order.count else { return }
            paint(Int(index), left + column, top + order[row])
        }
        return position > 0
    }

    private mutating func paint(_ index: Int, _ x: Int, _ y: Int) {
        guard index * 3 + 2 < palette.count else { return }
        picture.add(
            x: x, y: y, palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2],
            index == transparentIndex ? 0 : 255)
    }

    private static func data(_ source: any BodySource, from start: Int) -> [UInt8] {
        var data: [UInt8] = []
        var offset = start
        while data.count < dataByteCountMax,
            let length = source.read(from: offset, byteCount: 1).first, length > 0
        {
            data += source.read(from: offset + 1, byteCount: Int(length))
            offset += 1 + Int(length)
        }
        return data
    }

    /// Where the rows belong, in the order in which they come.
    private static func rows(_ height: Int, isInterlaced: Bool) -> [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap {
            Array(stride(from: $0.0, to: height, by: $0.1))
        }
    }
}
