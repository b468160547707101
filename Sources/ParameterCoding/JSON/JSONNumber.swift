/// JSON's grammar for numbers (RFC 8259 §6).
package enum JSONNumber {
    /// Whether the whole text is a valid number.
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { octets in
            var index = 0
            return skip(octets.span, &index) && index == octets.count
        }
    }

    /// Skips a number at a position; returns false, with the position at the error, if it is
    /// invalid.
    static func skip(_ octets: Span<UInt8>, _ index: inout Int) -> Bool {
        if index < octets.count, octets[index] == 0x2D { index &+= 1 }
        if index < octets.count, octets[index] == 0x30 {
            index &+= 1
            // No digit may follow a leading zero.
            if index < octets.count, Octet.isDigit(octets[index]) { return false }
        } else if !skipDigits(octets, &index) {
            return false
        }
        if index < octets.count, octets[index] == 0x2E {
            index &+= 1
            guard skipDigits(octets, &index) else { return false }
        }
        if index < octets.count, octets[index] | 0x20 == 0x65 {
            index &+= 1
            if index < octets.count, octets[index] == 0x2B || octets[index] == 0x2D {
                index &+= 1
            }
            guard skipDigits(octets, &index) else { return false }
        }
        return true
    }

    private static func skipDigits(_ octets: Span<UInt8>, _ index: inout Int) -> Bool {
        let start = index
        while index < octets.count, Octet.isDigit(octets[index]) { index &+= 1 }
        return index > start
    }
}
