/// The loops that every octet of a head passes through once. Each returns the first index at or
/// after `start` that is not part of what it scans, or the count. All indices are checked against
/// the count here, so that callers need no unchecked access of their own.
enum OctetScan {
    /// The end of a token.
    @inline(__always)
    static func endOfToken(_ octets: Span<UInt8>, from start: Int) -> Int {
        octets.withUnsafeBufferPointer { buffer in
            var index = start
            while index < buffer.count, OctetClass.isToken(buffer[index]) { index &+= 1 }
            return index
        }
    }

    /// The first octet that is a control octet, HTAB included.
    @inline(__always)
    static func endOfText(_ octets: Span<UInt8>, from start: Int) -> Int {
        firstBelow(0x20, in: octets, from: start)
    }

    /// The first octet that is a control octet or SP.
    @inline(__always)
    static func endOfVisible(_ octets: Span<UInt8>, from start: Int) -> Int {
        firstBelow(0x21, in: octets, from: start)
    }

    /// The first octet below a limit, or DEL; eight at a time. For a word `w` of eight octets,
    /// `(w - n) & ~w & 0x80…` marks the lowest octet below `n` (n ≤ 0x80) and may mark others only
    /// above it, and the lowest mark is all that is used.
    @inline(__always)
    private static func firstBelow(_ limit: UInt8, in octets: Span<UInt8>, from start: Int) -> Int {
        octets.withUnsafeBytes { bytes in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let tops: UInt64 = 0x8080_8080_8080_8080
            var index = start
            while index &+ 8 <= bytes.count {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let deleted = word ^ (ones &* 0x7F)
                let below = (word &- (ones &* UInt64(limit))) & ~word
                let marks = (below | ((deleted &- ones) & ~deleted)) & tops
                if marks != 0 { return index &+ (marks.trailingZeroBitCount &>> 3) }
                index &+= 8
            }
            while index < bytes.count, bytes[index] >= limit, bytes[index] != 0x7F { index &+= 1 }
            return index
        }
    }
}
