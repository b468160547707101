/// Loops that process every byte of a head once. Each returns the first index at or after `start`
/// that does not belong to what it scans, or the count. Bounds are checked here, so that callers
/// need no unchecked access.
package enum ByteScan {
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
    package static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
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
        _ limit: UInt8, orAbove7F: Bool, in bytes: Span<UInt8>, from start: Int
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

/// Character classes of the grammar, each stored in two 64-bit words so that a lookup is a shift.
enum ByteClass {
    /// The characters of tokens such as methods and field names (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
    }

    /// The characters of a registered name, including those of percent-encoding (RFC 3986 §3.2.2).
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2bff_7ff2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// Whether a byte is not allowed in a field value or reason phrase (RFC 9110 §5.5).
    @inline(__always)
    static func isForbiddenInText(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    @inline(__always)
    static func isUpperCase(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        let word = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (word &>> UInt64(byte & 0x3F)) & 1 == 1
    }
}

/// Parsing and writing of HTTP's numbers; none of these functions overflows or traps.
enum WireNumber {
    /// The maximum length accepted, because lengths are stored in signed 64-bit integers elsewhere.
    static let lengthMax = UInt64(Int64.max)

    /// Parses 1*DIGIT of at most 19 digits and at most 2⁶³−1; returns nil for anything else (RFC
    /// 9110 §8.6).
    static func decimal(_ bytes: Span<UInt8>) -> UInt64? {
        guard bytes.count > 0, bytes.count <= 19 else { return nil }
        var value: UInt64 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard ByteClass.isDigit(byte) else { return nil }
            // 19 nines fit into 64 bits, so this cannot wrap around.
            value = value &* 10 &+ UInt64(byte &- 0x30)
        }
        return value <= lengthMax ? value : nil
    }

    /// Parses a port, 1…65535, of one to five digits (RFC 3986 §3.2.3).
    static func port(_ bytes: Span<UInt8>) -> UInt16? {
        guard bytes.count <= 5, let value = decimal(bytes), value > 0 else { return nil }
        return UInt16(exactly: value)
    }

    /// Returns the value of a hexadecimal digit, or nil for any other byte.
    static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte &- 0x30)
        case 0x41...0x46: UInt64(byte &- 0x37)
        case 0x61...0x66: UInt64(byte &- 0x57)
        default: nil
        }
    }

    static func appendDecimal(_ value: UInt64, to output: inout [UInt8]) {
        append(value, radix: 10, to: &output)
    }

    /// Appends a number in lower-case hexadecimal.
    static func appendHexadecimal(_ value: UInt64, to output: inout [UInt8]) {
        append(value, radix: 16, to: &output)
    }

    private static func append(_ value: UInt64, radix: UInt64, to output: inout [UInt8]) {
        // The digits are computed from the last to the first; a 64-bit number has at most 20.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            start &-= 1
            digits[start] = digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
            rest /= radix
        } while rest > 0
        for index in start..<digits.count { output.append(digits[index]) }
    }
}
