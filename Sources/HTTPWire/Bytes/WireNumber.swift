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

    /// Appends a number in decimal.
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
