/// Decodes a baseline JPEG to a small picture, and of a progressive one the first scan, which is
/// coarse but enough for half blocks (ITU-T T.81).
struct JPEGDecoder: ImageDecoder {
    /// How much of a file is read, in bytes.
    private static let byteCountMax = 32 << 20
    /// Images with more samples are drawn with the mean colour of each block of 8 by 8.
    private static let exactSampleCountMax = 6_000_000
    /// The cost of an exactly decoded sample relative to a mean.
    private static let exactCost = 4

    private struct Component {
        let id: UInt8
        let across: Int
        let down: Int
        let quantization: Int
        var dcTable = 0
        var acTable = 0
        var prediction = 0
    }

    private let octets: [UInt8]
    private let reader: OctetReader
    private var quantization = [[Int]](repeating: [], count: 4)
    private var dcTables = [JPEGHuffmanTable?](repeating: nil, count: 4)
    private var acTables = [JPEGHuffmanTable?](repeating: nil, count: 4)
    private var components: [Component] = []
    private var width = 0
    private var height = 0
    private var isProgressive = false
    private var restartInterval = 0
    /// The offset at which the bits of the scan start.
    private var start = 0

    init?(_ source: any BodySource) {
        octets = source.read(from: 0, byteCount: JPEGDecoder.byteCountMax)
        reader = OctetReader(octets)
        guard let start = readSegments() else { return nil }
        self.start = start
    }

    /// Counts the samples of whole units, because a narrow image has more of them than pixels.
    var pixelCost: Int { sampleCount * (isExact ? JPEGDecoder.exactCost : 1) }

    mutating func picture(widthMax: Int, heightMax: Int) -> Picture? {
        guard
            var picture = Picture(
                sourceWidth: width, sourceHeight: height, widthMax: widthMax,
                heightMax: heightMax)
        else { return nil }
        readScan(from: start, into: &picture)
        return picture
    }

    // MARK: Units

    /// The number of blocks across a unit (MCU), the smallest part that contains all components.
    private var across: Int { components.map(\.across).max() ?? 1 }
    private var down: Int { components.map(\.down).max() ?? 1 }
    private var columnCount: Int { (width + across * 8 - 1) / (across * 8) }
    private var rowCount: Int { (height + down * 8 - 1) / (down * 8) }

    private var sampleCount: Int {
        let blockCount = components.reduce(0) { $0 + $1.across * $1.down }
        return columnCount * rowCount * max(blockCount, across * down) * 64
    }

    private var isExact: Bool {
        !isProgressive && sampleCount <= JPEGDecoder.exactSampleCountMax
    }

    // MARK: Segments

    /// Reads up to the first scan; returns the offset at which its bits start.
    private mutating func readSegments() -> Int? {
        var position = 2
        while reader[position] == 0xFF, let marker = reader[position + 1] {
            if marker == 0xFF {
                position += 1
                continue
            }
            guard let length = reader.big16(position + 2), length >= 2 else { return nil }
            let end = min(octets.count, position + 2 + length)
            let start = min(position + 4, end)
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                isProgressive = marker == 0xC2
                guard readFrame(start) else { return nil }
            case 0xC4: readHuffmanTables(start, end)
            case 0xDB: readQuantization(start, end)
            case 0xDD: restartInterval = reader.big16(start) ?? 0
            case 0xDA: return readScanHead(start) ? end : nil
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xD9: return nil
            default: break
            }
            position = end
        }
        return nil
    }

    private mutating func readFrame(_ start: Int) -> Bool {
        guard reader[start] == 8, let height = reader.big16(start + 1),
            let width = reader.big16(start + 3), let count = reader[start + 5],
            width > 0, height > 0, count == 1 || count == 3
        else { return false }
        self.width = width
        self.height = height
        components = []
        for index in 0..<Int(count) {
            guard let id = reader[start + 6 + index * 3],
                let sampling = reader[start + 7 + index * 3],
                let table = reader[start + 8 + index * 3], table < 4,
                1...4 ~= sampling >> 4, 1...4 ~= sampling & 15
            else { return false }
            components.append(
                Component(
                    id: id, across: count == 1 ? 1 : Int(sampling >> 4),
                    down: count == 1 ? 1 : Int(sampling & 15), quantization: Int(table)))
        }
        return true
    }

    private mutating func readQuantization(_ start: Int, _ end: Int) {
        var position = start
        while position < end, let head = reader[position], head & 15 < 4 {
            let size = head >> 4 == 0 ? 1 : 2
            guard position + 1 + 64 * size <= end else { return }
            quantization[Int(head & 15)] = (0..<64).map {
                reader.big(position + 1 + $0 * size, size) ?? 1
            }
            position += 1 + 64 * size
        }
    }

    private mutating func readHuffmanTables(_ start: Int, _ end: Int) {
        var position = start
        while position + 17 <= end, let head = reader[position], head & 15 < 4 {
            let counts = Array(octets[(position + 1)..<(position + 17)])
            let total = counts.reduce(0) { $0 + Int($1) }
            guard position + 17 + total <= end else { return }
            let table = JPEGHuffmanTable(
                counts: counts, values: Array(octets[(position + 17)..<(position + 17 + total)]))
            if head >> 4 == 0 {
                dcTables[Int(head & 15)] = table
            } else {
                acTables[Int(head & 15)] = table
            }
            position += 17 + total
        }
    }

    /// Only scans of all components are decoded; every encoder writes one of them first.
    private mutating func readScanHead(_ start: Int) -> Bool {
        guard let count = reader[start], Int(count) == components.count, count > 0 else {
            return false
        }
        for index in 0..<Int(count) {
            guard let id = reader[start + 1 + index * 2],
                let tables = reader[start + 2 + index * 2], tables >> 4 < 4, tables & 15 < 4,
                let place = components.firstIndex(where: { $0.id == id })
            else { return false }
            components[place].dcTable = Int(tables >> 4)
            components[place].acTable = Int(tables & 15)
        }
        shift = isProgressive ? Int((reader[start + 3 + Int(count) * 2] ?? 0) & 15) : 0
        return true
    }

    /// The number of low bits that a progressive scan omits.
    private var shift = 0

    // MARK: Blocks

    private mutating func readScan(from start: Int, into picture: inout Picture) {
        var bits = JPEGBits(octets, from: start)
        let (across, down, isExact) = (across, down, isExact)
        let (columnCount, rowCount) = (columnCount, rowCount)
        var unitCount = 0
        for row in 0..<rowCount {
            for column in 0..<columnCount {
                if restartInterval > 0, unitCount > 0, unitCount % restartInterval == 0 {
                    bits.restart()
                    for index in components.indices { components[index].prediction = 0 }
                }
                unitCount += 1
                var planes: [[UInt8]] = []
                for index in components.indices {
                    guard let plane = plane(index, &bits, isExact) else { return }
                    planes.append(plane)
                }
                paint(planes, column * across * 8, row * down * 8, across, down, &picture)
                if bits.isExhausted { return }
            }
        }
    }

    /// The samples of one component in one unit, row by row, or nil if a table is missing.
    private mutating func plane(
        _ index: Int, _ bits: inout JPEGBits, _ isExact: Bool
    ) -> [UInt8]? {
        let component = components[index]
        guard let dcTable = dcTables[component.dcTable],
            quantization[component.quantization].count == 64
        else { return nil }
        let table = quantization[component.quantization]
        let width = component.across * 8
        var plane = [UInt8](repeating: 0, count: width * component.down * 8)
        for block in 0..<(component.across * component.down) {
            let size = min(bits.value(dcTable), 16)
            components[index].prediction &+= bits.signed(size)
            var coefficients = [Int](repeating: 0, count: 64)
            coefficients[0] = (components[index].prediction << shift) &* table[0]
            if !isProgressive {
                guard let acTable = acTables[component.acTable] else { return nil }
                JPEGDecoder.readAC(acTable, table, &bits, &coefficients)
            }
            let samples = JPEGTransform.samples(coefficients, isExact: isExact)
            let left = block % component.across * 8
            let top = block / component.across * 8
            for y in 0..<8 {
                for x in 0..<8 { plane[(top + y) * width + left + x] = samples[y * 8 + x] }
            }
        }
        return plane
    }

    private static func readAC(
        _ table: JPEGHuffmanTable, _ quantization: [Int], _ bits: inout JPEGBits,
        _ coefficients: inout [Int]
    ) {
        var index = 1
        while index < 64 {
            let code = bits.value(table)
            let size = code & 15
            if size == 0 {
                guard code >> 4 == 15 else { return }
                index += 16
                continue
            }
            index += code >> 4
            let value = bits.signed(size)
            guard index < 64 else { return }
            coefficients[JPEGTransform.zigzag[index]] = value &* quantization[index]
            index += 1
        }
    }

    private func paint(
        _ planes: [[UInt8]], _ left: Int, _ top: Int, _ across: Int, _ down: Int,
        _ picture: inout Picture
    ) {
        for y in 0..<min(down * 8, height - top) {
            for x in 0..<min(across * 8, width - left) {
                func sample(_ index: Int) -> Int {
                    let component = components[index]
                    let row = y * component.down / down
                    return Int(
                        planes[index][row * component.across * 8 + x * component.across / across])
                }
                let luma = sample(0)
                guard planes.count == 3 else {
                    let grey = UInt8(truncatingIfNeeded: luma)
                    picture.add(x: left + x, y: top + y, grey, grey, grey, 255)
                    continue
                }
                let blue = sample(1) - 128
                let red = sample(2) - 128
                picture.add(
                    x: left + x, y: top + y,
                    UInt8(clamping: luma + 1_402 * red / 1_000),
                    UInt8(clamping: luma - (344 * blue + 714 * red) / 1_000),
                    UInt8(clamping: luma + 1_772 * blue / 1_000), 255)
            }
        }
    }
}
