/// The next bits of a string, the first of them topmost. Those behind the end are ones, as the
/// padding is.
struct HuffmanBits {
    private var bits: UInt64 = 0
    /// How many of them the string has.
    private(set) var bitCount = 0
    private var position = 0

    /// The first eight.
    @inline(__always)
    var firstByte: Int { Int(truncatingIfNeeded: bits &>> 56) }
    /// The first 32.
    @inline(__always)
    var firstWord: UInt32 { UInt32(truncatingIfNeeded: bits &>> 32) }
    /// Whether what is left is what a string may end in.
    var isPadding: Bool { bitCount < 8 && bits == .max }

    /// Passes over bits that are there.
    @inline(__always)
    mutating func skip(_ count: Int) {
        bits &<<= UInt64(truncatingIfNeeded: count)
        bitCount &-= count
    }

    /// Takes in what there is room for: more than the longest code has, or all.
    @inline(__always)
    mutating func fill(from string: Span<UInt8>) {
        if position &+ 8 <= string.count {
            let word = string.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            }
            bits |= word &>> UInt64(truncatingIfNeeded: bitCount)
            // Bits of a byte that is not counted are taken in once more, as what they are.
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
