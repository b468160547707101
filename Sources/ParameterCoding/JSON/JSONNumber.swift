/// JSON's grammar for numbers (RFC 8259 §6).
package enum JSONNumber {
    /// Whether the whole text is a valid number.
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var index = 0
            return skip(bytes.span, &index) && index == bytes.count
        }
    }

    /// Skips a number at a position; returns false, with the position at the error, if it is
    /// invalid.
    static func skip(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
        if index < bytes.count, bytes[index] == 0x2D { index &+= 1 }
        if index < bytes.count, bytes[index] == 0x30 {
            index &+= 1
            // No digit may follow a leading zero.
            if index < bytes.count, Byte.isDigit(bytes[index]) { return false }
        } else if !skipDigits(bytes, &index) {
            return false
        }
        if index < bytes.count, bytes[index] == 0x2E {
            index &+= 1
            guard skipDigits(bytes, &index) else { return false }
        }
        if index < bytes.count, bytes[index] | 0x20 == 0x65 {
            index &+= 1
            if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
                index &+= 1
            }
            guard skipDigits(bytes, &index) else { return false }
        }
        return true
    }

    private static func skipDigits(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
        let start = index
        while index < bytes.count, Byte.isDigit(bytes[index]) { index &+= 1 }
        return index > start
    }
}
