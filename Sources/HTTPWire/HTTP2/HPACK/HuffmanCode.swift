/// The Huffman code of HPACK's strings (RFC 7541 §5.2 and appendix B).
enum HuffmanCode {
    static func encodedByteCount(_ string: Span<UInt8>) -> Int {
        let bitCounts = HuffmanTables.bitCounts
        return string.withUnsafeBufferPointer { string in
            var bitCount = 7
            for byte in string { bitCount &+= Int(bitCounts[Int(byte)]) }
            return bitCount &>> 3
        }
    }

    static func encode(_ string: Span<UInt8>, into output: inout [UInt8]) {
        let bitCounts = HuffmanTables.bitCounts
        let codes = HuffmanTables.shared.codes
        // The low bits of `bits` have not been written yet: fewer than 32, so that any code fits.
        var bits: UInt64 = 0
        var bitCount = 0
        for index in string.indices {
            let byte = Int(string[index])
            let codeBitCount = Int(bitCounts[byte])
            bits = bits &<< codeBitCount | UInt64(codes[byte])
            bitCount &+= codeBitCount
            if bitCount >= 32 {
                bitCount &-= 32
                append(UInt32(truncatingIfNeeded: bits &>> bitCount), to: &output)
            }
        }
        while bitCount >= 8 {
            bitCount &-= 8
            output.append(UInt8(truncatingIfNeeded: bits &>> bitCount))
        }
        if bitCount > 0 {
            // EOS starts with ones.
            let padding: UInt64 = 0xFF &>> bitCount
            output.append(UInt8(truncatingIfNeeded: bits &<< (8 &- bitCount) | padding))
        }
    }

    private static func append(_ word: UInt32, to output: inout [UInt8]) {
        withUnsafeBytes(of: word.bigEndian) { output.append(contentsOf: $0) }
    }

    static func decode(_ string: Span<UInt8>, into output: inout [UInt8]) throws(HPACKError) {
        let tables = HuffmanTables.shared
        let short = tables.short.span
        var input = HuffmanBits()
        var piece = InlineArray<64, UInt8>(repeating: 0)
        var count = 0
        while true {
            input.fill(from: string)
            // The available bits contain at least one complete code, whichever it is.
            repeat {
                var entry = short[input.firstByte]
                if entry == 0 { entry = tables.longEntry(input.firstWord) }
                let bitCount = entry == 0 ? HuffmanTables.bitCountMax : Int(entry & 0xFF)
                guard bitCount <= input.bitCount else {
                    guard input.isPadding else { throw .badPadding }
                    return append(piece.span.extracting(first: count), to: &output)
                }
                guard entry != 0 else { throw .endOfString }
                input.skip(bitCount)
                piece[count] = UInt8(truncatingIfNeeded: entry &>> 8)
                count &+= 1
                if count == piece.count {
                    append(piece.span, to: &output)
                    count = 0
                }
            } while input.bitCount >= HuffmanTables.bitCountMax
        }
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}

/// The next bits of a string, starting at the most significant bit. Bits after the end are ones,
/// like the padding.
struct HuffmanBits {
    private var bits: UInt64 = 0
    /// The number of these bits that belong to the string.
    private(set) var bitCount = 0
    private var position = 0

    @inline(__always)
    var firstByte: Int { Int(truncatingIfNeeded: bits &>> 56) }
    /// The first 32 bits.
    @inline(__always)
    var firstWord: UInt32 { UInt32(truncatingIfNeeded: bits &>> 32) }
    /// Whether the remaining bits are valid padding.
    var isPadding: Bool { bitCount < 8 && bits == .max }

    /// Skips bits, which must be available.
    @inline(__always)
    mutating func skip(_ count: Int) {
        bits &<<= UInt64(truncatingIfNeeded: count)
        bitCount &-= count
    }

    /// Loads as many bits as fit: more than the longest code has, or all that remain.
    @inline(__always)
    mutating func fill(from string: Span<UInt8>) {
        if position &+ 8 <= string.count {
            let word = string.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            }
            bits |= word &>> UInt64(truncatingIfNeeded: bitCount)
            // The bits of a byte that was loaded in part are loaded again with the same values.
            let byteCount = (63 &- bitCount) &>> 3
            position &+= byteCount
            bitCount &+= byteCount &<< 3
        } else {
            fillFromEnd(of: string)
        }
    }

    private mutating func fillFromEnd(of string: Span<UInt8>) {
        while bitCount <= 56, position < string.count {
            bits |= UInt64(string[position]) &<< UInt64(truncatingIfNeeded: 56 &- bitCount)
            position &+= 1
            bitCount &+= 8
        }
        if position == string.count, bitCount < 64 {
            bits |= .max &>> UInt64(truncatingIfNeeded: bitCount)
        }
    }
}

/// The Huffman code of RFC 7541 appendix B. It is canonical: the codes follow from their lengths,
/// and codes of the same length from the order of their bytes.
struct HuffmanTables: Sendable {
    /// All codes of the same length, left-aligned in 32 bits.
    struct Group: Sendable {
        let bitCount: Int
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
                    for index in 0..<places {
                        short[Int(next) * places + index] = UInt16(byte) << 8 | UInt16(bitCount)
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
