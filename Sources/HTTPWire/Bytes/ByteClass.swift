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

    /// A–Z.
    @inline(__always)
    static func isUpperCase(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

    /// 0–9.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        let word = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (word &>> UInt64(byte & 0x3F)) & 1 == 1
    }
}
