/// Byte-level text helpers for HTTP's grammar: no locale, no Unicode, no allocation.
public enum ASCII {
    /// Converts A–Z to a–z and leaves every other byte unchanged.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether bytes equal a lower-case literal, ignoring their case.
    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ lowercase: StaticString) -> Bool {
        guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
        let literal = UnsafeRawBufferPointer(
            start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        return bytes.withUnsafeBytes { bytes in
            var index = 0
            while index &+ 8 <= bytes.count {
                let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let wanted = literal.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if lowercased(eight: eight) != wanted { return false }
                index &+= 8
            }
            while index < bytes.count {
                if lowercased(bytes[index]) != literal[index] { return false }
                index &+= 1
            }
            return true
        }
    }

    /// Converts A–Z to a–z in each of eight bytes, like `lowercased`.
    @inlinable
    static func lowercased(eight bytes: UInt64) -> UInt64 {
        let tops: UInt64 = 0x8080_8080_8080_8080
        // Adding what A, or the byte after Z, lacks to 0x80 to the lower seven bits sets the top
        // bit of each byte that is at least that large; there is no carry between bytes.
        let low = bytes & ~tops
        let reachesA = low &+ 0x3F3F_3F3F_3F3F_3F3F
        let isBehindZ = low &+ 0x2525_2525_2525_2525
        let isUpper = reachesA & ~isBehindZ & ~bytes & tops
        return bytes | isUpper >> 2
    }

    public static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        while index < left.count {
            if lowercased(left[index]) != lowercased(right[index]) { return false }
            index &+= 1
        }
        return true
    }

    @inlinable
    public static func equals(_ bytes: Span<UInt8>, _ literal: StaticString) -> Bool {
        guard bytes.count == literal.utf8CodeUnitCount else { return false }
        for index in bytes.indices where bytes[index] != literal.utf8Start[index] { return false }
        return true
    }

    package static func isAlphanumeric(_ byte: UInt8) -> Bool {
        lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10
    }

    /// Whether a byte is optional white space: SP or HTAB (RFC 9110 §5.6.3).
    @inlinable
    public static func isOWS(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns a range without the optional white space at its ends.
    @inlinable
    public static func trimmingOWS(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, isOWS(bytes[lower]) { lower &+= 1 }
        while upper > lower, isOWS(bytes[upper &- 1]) { upper &-= 1 }
        return lower..<upper
    }

    public static func isASCII(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var all: UInt8 = 0
            for byte in bytes { all |= byte }
            return all < 0x80
        }
    }

    /// Converts bytes from the wire to text: as UTF-8 if they are valid, otherwise as Latin-1.
    /// Nothing is lost in either case, and no input traps.
    public static func text(_ bytes: Span<UInt8>) -> String {
        if let text = try? UTF8Span(validating: bytes) { return String(copying: text) }
        var text = String.UnicodeScalarView()
        for index in bytes.indices { text.append(Unicode.Scalar(bytes[index])) }
        return String(text)
    }

    public static func text(_ bytes: [UInt8]) -> String { text(bytes.span) }

    public static func text(_ bytes: ArraySlice<UInt8>) -> String { text(bytes.span) }
}

/// Percent-encoding (RFC 3986 §2.1), except in parameters, which have character sets.
package enum PercentEncoding {
    /// The decoded bytes, and whether every `%` starts an escape: others are kept.
    package static func decoded(_ text: some Sequence<UInt8>) -> (bytes: [UInt8], isValid: Bool) {
        var (bytes, isValid) = ([UInt8](), true)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            if let high = rest.first.flatMap(value), let low = rest.dropFirst().first.flatMap(value)
            {
                bytes.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
                isValid = false
            }
        }
        return (bytes, isValid)
    }

    /// Escapes the bytes that are not plain: `%2F`.
    package static func encoded(
        _ bytes: some Sequence<UInt8>, isPlain: (UInt8) -> Bool
    ) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isPlain(byte) { encoded.append(byte) } else { append(byte, to: &encoded) }
        }
        return encoded
    }

    /// Appends the escape of a byte.
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] { bytes.append(digit &+ (digit < 10 ? 0x30 : 0x37)) }
    }

    /// The value of a hexadecimal digit.
    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }
}

extension Span<UInt8> {
    @inlinable
    package var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
