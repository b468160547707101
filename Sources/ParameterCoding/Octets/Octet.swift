/// Byte classes that the decoders share, without locale, Unicode or allocation.
package enum Octet {
    /// Converts A–Z to a–z and leaves every other byte unchanged.
    static func lowercased(_ octet: UInt8) -> UInt8 {
        octet &- 0x41 < 26 ? octet | 0x20 : octet
    }

    /// SP or HTAB.
    static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }

    /// The white space of JSON: SP, HTAB, LF, CR (RFC 8259 §2).
    package static func isJSONWhitespace(_ octet: UInt8) -> Bool {
        octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09
    }

    /// `0` to `9`.
    package static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }

    /// A character of an HTTP token (RFC 9110 §5.6.2).
    static func isToken(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// The upper-case hexadecimal digit of a value below 16.
    static func hexDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x37) }

    /// The value of a hexadecimal digit, or nil.
    package static func hexValue(_ octet: UInt8) -> UInt8? {
        switch octet {
        case 0x30...0x39: octet &- 0x30
        case 0x41...0x46: octet &- 0x37
        case 0x61...0x66: octet &- 0x57
        default: nil
        }
    }
}
