/// Reads the entropy-coded bytes of a JPEG as bits (ITU-T T.81 §F.2.2.5).
struct JPEGBits {
    private let octets: [UInt8]
    private(set) var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    /// Whether more bits were requested than exist.
    private(set) var isExhausted = false

    init(_ octets: [UInt8], from position: Int) {
        self.octets = octets
        self.position = position
    }

    mutating func bit() -> Int {
        if bitCount == 0 { fill() }
        bitCount -= 1
        return Int(bits >> UInt32(bitCount) & 1)
    }

    /// Reads a number of `count` bits, with the sign as the standard encodes it.
    mutating func signed(_ count: Int) -> Int {
        guard count > 0, count <= 16 else { return 0 }
        var value = 0
        for _ in 0..<count { value = value << 1 | bit() }
        return value < 1 << (count - 1) ? value - (1 << count) + 1 : value
    }

    /// Reads the next code of a table and returns its value, or 0 if there is none.
    mutating func value(_ table: JPEGHuffmanTable) -> Int {
        var code = 0
        for length in 0..<16 {
            code = code << 1 | bit()
            if let value = table.value(code, length: length) { return value }
        }
        isExhausted = true
        return 0
    }

    /// Skips to after the next restart marker.
    mutating func restart() {
        bitCount = 0
        while position + 1 < octets.count {
            if octets[position] == 0xFF, 0xD0...0xD7 ~= octets[position + 1] {
                position += 2
                return
            }
            position += 1
        }
        isExhausted = true
    }

    private mutating func fill() {
        guard position < octets.count else { return exhaust() }
        let octet = octets[position]
        if octet == 0xFF {
            // A stuffed zero belongs to the byte; anything else is a marker.
            guard position + 1 < octets.count, octets[position + 1] == 0 else { return exhaust() }
            position += 1
        }
        position += 1
        bits = UInt32(octet)
        bitCount = 8
    }

    private mutating func exhaust() {
        isExhausted = true
        bits = 0
        bitCount = 8
    }
}

/// The codes of a Huffman table by length (ITU-T T.81 annex C).
struct JPEGHuffmanTable {
    private var firstCodes = [Int](repeating: 0, count: 16)
    private var firstIndexes = [Int](repeating: 0, count: 16)
    private let counts: [Int]
    private let values: [UInt8]

    init(counts: [UInt8], values: [UInt8]) {
        self.counts = counts.map { Int($0) }
        self.values = values
        var code = 0
        var index = 0
        for length in 0..<min(16, counts.count) {
            firstCodes[length] = code
            firstIndexes[length] = index
            code = (code + Int(counts[length])) << 1
            index += Int(counts[length])
        }
    }

    /// The value of a code; `length` is the number of bits minus one.
    func value(_ code: Int, length: Int) -> Int? {
        guard length < counts.count else { return nil }
        let place = code - firstCodes[length]
        guard place >= 0, place < counts[length] else { return nil }
        let index = firstIndexes[length] + place
        return index < values.count ? Int(values[index]) : nil
    }
}
