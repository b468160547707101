/// Loops that process every byte of a head once. Each returns the first index at or after `start`
/// that does not belong to what it scans, or the count. Bounds are checked here, so that callers
/// need no unchecked access.
enum ByteScan {
    /// Returns the end of a token.
    @inline(__always)
    static func endOfToken(_ bytes: Span<UInt8>, from start: Int) -> Int {
        bytes.withUnsafeBufferPointer { buffer in
            var index = start
            while index < buffer.count, ByteClass.isToken(buffer[index]) { index &+= 1 }
            return index
        }
    }

    /// Returns the index of the first control character, including HTAB.
    @inline(__always)
    static func endOfText(_ bytes: Span<UInt8>, from start: Int) -> Int {
        firstOutside(0x20, orAbove7F: false, in: bytes, from: start)
    }

    /// Returns the index of the first byte that is not a visible ASCII character: a control
    /// character, SP, or above 0x7E.
    @inline(__always)
    static func endOfVisible(_ bytes: Span<UInt8>, from start: Int) -> Int {
        firstOutside(0x21, orAbove7F: true, in: bytes, from: start)
    }

    /// Returns the index of the first byte that is not accepted in a received target: a control
    /// character, SP or DEL. Bytes above 0x7F are accepted, although they should be percent-encoded
    /// (RFC 3986 §2).
    @inline(__always)
    static func endOfTarget(_ bytes: Span<UInt8>, from start: Int) -> Int {
        firstOutside(0x21, orAbove7F: false, in: bytes, from: start)
    }

    /// Returns the index of the first byte equal to `byte`; examines eight bytes at a time.
    @inline(__always)
    static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        bytes.withUnsafeBytes { buffer in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let tops: UInt64 = 0x8080_8080_8080_8080
            let wanted = ones &* UInt64(byte)
            var index = start
            while index &+ 8 <= buffer.count {
                let word = UInt64(
                    littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let zeroWhereFound = word ^ wanted
                let marks = (zeroWhereFound &- ones) & ~zeroWhereFound & tops
                if marks != 0 { return index &+ (marks.trailingZeroBitCount &>> 3) }
                index &+= 8
            }
            while index < buffer.count, buffer[index] != byte { index &+= 1 }
            return index
        }
    }

    /// Whether two strings are equal. Compares eight bytes at a time; the last comparison may
    /// include bytes that have already been compared.
    @inline(__always)
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                let count = left.count
                if count < 8 {
                    var difference: UInt8 = 0
                    for index in 0..<count { difference |= left[index] ^ right[index] }
                    return difference == 0
                }
                var index = 0
                while index &+ 8 < count {
                    if word(left, index) != word(right, index) { return false }
                    index &+= 8
                }
                return word(left, count &- 8) == word(right, count &- 8)
            }
        }
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }

    /// Returns the index of the first byte that is below a limit or DEL, or optionally above DEL;
    /// examines eight bytes at a time. For a word `w` of eight bytes, `(w - n) & ~w & 0x80…` marks
    /// the lowest byte below `n` (n ≤ 0x80). Bytes above that one may be marked wrongly, but only
    /// the lowest mark is used.
    @inline(__always)
    private static func firstOutside(
        _ limit: UInt8,
        orAbove7F: Bool,
        in bytes: Span<UInt8>,
        from start: Int
    ) -> Int {
        bytes.withUnsafeBytes { buffer in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let tops: UInt64 = 0x8080_8080_8080_8080
            let last: UInt8 = orAbove7F ? 0x7E : 0xFF
            var index = start
            while index &+ 8 <= buffer.count {
                let word = UInt64(
                    littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let deleted = word ^ (ones &* 0x7F)
                let below = (word &- (ones &* UInt64(limit))) & ~word
                let above = orAbove7F ? word : 0
                let marks = (below | above | ((deleted &- ones) & ~deleted)) & tops
                if marks != 0 { return index &+ (marks.trailingZeroBitCount &>> 3) }
                index &+= 8
            }
            while index < buffer.count {
                let byte = buffer[index]
                if byte < limit || byte == 0x7F || byte > last { break }
                index &+= 1
            }
            return index
        }
    }
}
