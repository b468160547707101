/// The Huffman code of RFC 7541 appendix B. It is canonical: the codes follow from their lengths,
/// and codes of the same length from the order of their bytes.
struct HuffmanTables: Sendable {
    /// All codes of the same length, left-aligned in 32 bits.
    struct Group: Sendable {
        /// The length of the codes in bits.
        let bitCount: Int
        /// The first code.
        let first: UInt32
        /// The last code, padded with ones.
        let last: UInt32
        /// The index in `bytes` where the bytes of these codes start.
        let start: Int
    }

    static let shared = HuffmanTables()

    /// The length of the longest codes in bits; EOS is one of them.
    static let bitCountMax = 30
    /// The maximum length in bits of codes that are found with a single lookup.
    private static let shortBitCountMax = 8

    /// The code of each byte, in the low bits.
    let codes: [UInt32]
    /// All bytes in the order of their codes; EOS, which is last, is left out.
    let bytes: [UInt8]
    /// For each combination of eight bits, the byte whose code they start with, and in the low half
    /// the length of that code; zero if the code is longer than eight bits.
    let short: [UInt16]
    /// The longer codes, shortest first.
    let long: [Group]

    private init() {
        var codes = [UInt32](repeating: 0, count: 256)
        var bytes: [UInt8] = []
        var short = [UInt16](repeating: 0, count: 256)
        var long: [Group] = []
        var next: UInt32 = 0
        for bitCount in 5...Self.bitCountMax {
            let first = next
            let start = bytes.count
            for byte in UInt8.min...UInt8.max where Self.bitCounts[Int(byte)] == bitCount {
                codes[Int(byte)] = next
                bytes.append(byte)
                if bitCount <= Self.shortBitCountMax {
                    let places = 1 << (Self.shortBitCountMax - bitCount)
                    for place in 0..<places {
                        short[Int(next) * places + place] = UInt16(byte) << 8 | UInt16(bitCount)
                    }
                }
                next += 1
            }
            if bitCount > Self.shortBitCountMax, next > first {
                let ones = UInt32.max >> UInt32(bitCount)
                let unused = UInt32(32 - bitCount)
                long.append(
                    Group(
                        bitCount: bitCount, first: first << unused,
                        last: (next - 1) << unused | ones, start: start))
            }
            next <<= 1
        }
        self.codes = codes
        self.bytes = bytes
        self.short = short
        self.long = long
    }

    /// Returns the byte and the length of the long code at the start of 32 bits; zero for EOS.
    func longEntry(_ word: UInt32) -> UInt16 {
        for group in long where word <= group.last {
            let place = (word &- group.first) &>> UInt32(truncatingIfNeeded: 32 &- group.bitCount)
            let byte = bytes[group.start &+ Int(place)]
            return UInt16(byte) &<< 8 | UInt16(truncatingIfNeeded: group.bitCount)
        }
        return 0
    }

    /// The length of each byte's code in bits.
    static let bitCounts: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    ]
}
