/// Sets of octets that the grammar names, each as two 64-bit words so that a look-up is a shift.
enum OctetClass {
    /// RFC 9110 §5.6.2: what tokens (methods, field names) are made of.
    @inline(__always)
    static func isToken(_ octet: UInt8) -> Bool {
        contains(octet, low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
    }

    /// RFC 3986 §3.2.2: what a registered name is made of (percent-encoding included).
    static func isRegisteredName(_ octet: UInt8) -> Bool {
        contains(octet, low: 0x2bff_7ff2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// Whether an octet may not stand in a field value or reason phrase (RFC 9110 §5.5).
    @inline(__always)
    static func isForbiddenInText(_ octet: UInt8) -> Bool {
        (octet < 0x20 && octet != 0x09) || octet == 0x7F
    }

    /// A–Z.
    @inline(__always)
    static func isUpperCase(_ octet: UInt8) -> Bool { octet &- 0x41 < 26 }

    /// 0–9.
    @inline(__always)
    static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }

    @inline(__always)
    private static func contains(_ octet: UInt8, low: UInt64, high: UInt64) -> Bool {
        let word = octet & 0x40 == 0 ? low : high
        return octet < 0x80 && (word &>> UInt64(octet & 0x3F)) & 1 == 1
    }
}
