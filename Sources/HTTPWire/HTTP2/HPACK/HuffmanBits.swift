/// The next bits of a string, starting at the most significant bit. Bits after the end are ones,
/// like the padding.
struct HuffmanBits {
    private var bits: UInt64 = 0
    /// The number of these bits that belong to the string.
    private(set) var bitCount = 0
    private var position = 0

    /// The first eight bits.
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
