/// Decodes the first frame of a GIF (CompuServe, GIF89a) to a small picture.
struct GIFDecoder: ImageDecoder {
    /// How much of a frame's data is read, in bytes.
    private static let dataByteCountMax = 16 << 20

    /// A frame, which may be larger than the logical screen.
    private struct Frame {
        let left: Int
        let top: Int
        let width: Int
        let height: Int
        let isInterlaced: Bool
        /// The offset at which the pixel data starts.
        let start: Int
    }

    private let source: any BodySource
    private let facts: ImageFacts
    private var frame: Frame?
    private var picture: Picture?
    private var palette: [UInt8]
    private var transparentIndex: Int?

    init?(_ source: any BodySource) {
        let head = OctetReader(source.read(from: 0, byteCount: 1_024))
        guard let facts = ImageFacts(head.octets), facts.format == .gif, let flags = head[10]
        else { return nil }
        let colorCount = flags & 0x80 != 0 ? 2 << Int(flags & 7) : 0
        self.source = source
        self.facts = facts
        palette = source.read(from: 13, byteCount: colorCount * 3)
        findFrame(from: 13 + colorCount * 3)
        if frame == nil { return nil }
    }

    /// All pixels of the frame are decoded, whatever part of them is on the logical screen.
    var pixelCost: Int { frame.map { $0.width * $0.height } ?? 0 }

    mutating func picture(widthMax: Int, heightMax: Int) -> Picture? {
        picture = Picture(
            sourceWidth: facts.width, sourceHeight: facts.height, widthMax: widthMax,
            heightMax: heightMax)
        guard picture != nil, let frame, decode(frame) else { return nil }
        return picture
    }

    /// Skips extensions up to the first frame.
    private mutating func findFrame(from start: Int) {
        var offset = start
        while true {
            let block = OctetReader(source.read(from: offset, byteCount: 16))
            switch block[0] {
            case 0x21:
                if block[1] == 0xF9, let flags = block[3], flags & 1 == 1 {
                    transparentIndex = block[6].map { Int($0) }
                }
                offset = GIFDecoder.blocksEnd(source, from: offset + 2)
            case 0x2C:
                frame = readFrame(block, offset)
                return
            default: return
            }
        }
    }

    /// The offset after a chain of data sub-blocks, each preceded by its length.
    private static func blocksEnd(_ source: any BodySource, from start: Int) -> Int {
        var offset = start
        while let length = source.read(from: offset, byteCount: 1).first, length > 0 {
            offset += 1 + Int(length)
        }
        return offset + 1
    }

    private mutating func readFrame(_ block: OctetReader, _ offset: Int) -> Frame? {
        guard let left = block.little16(1), let top = block.little16(3),
            let width = block.little16(5), let height = block.little16(7), let flags = block[9]
        else { return nil }
        var start = offset + 10
        if flags & 0x80 != 0 {
            let byteCount = (2 << Int(flags & 7)) * 3
            palette = source.read(from: start, byteCount: byteCount)
            start += byteCount
        }
        return Frame(
            left: left, top: top, width: width, height: height, isInterlaced: flags & 0x40 != 0,
            start: start)
    }

    private mutating func decode(_ frame: Frame) -> Bool {
        guard let codeSize = source.read(from: frame.start, byteCount: 1).first else {
            return false
        }
        let data = GIFDecoder.data(source, from: frame.start + 1)
        let order = GIFDecoder.rows(frame.height, isInterlaced: frame.isInterlaced)
        var position = 0
        LZWDecoder.decode(data, codeSize: Int(codeSize), countMax: pixelCost) { index in
            let (row, column) = position.quotientAndRemainder(dividingBy: max(1, frame.width))
            position += 1
            guard row < order.count else { return }
            paint(Int(index), frame.left + column, frame.top + order[row])
        }
        return position > 0
    }

    private mutating func paint(_ index: Int, _ x: Int, _ y: Int) {
        guard index * 3 + 2 < palette.count else { return }
        picture?.add(
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

    /// The row numbers in the order in which the rows are stored.
    private static func rows(_ height: Int, isInterlaced: Bool) -> [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap {
            Array(stride(from: $0.0, to: height, by: $0.1))
        }
    }
}
