/// Text inside XML elements.
enum XMLText {
    /// Whether XML 1.0 allows a character at all, even as a numeric reference (§2.2).
    static func canHold(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0x00..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// Appends an escaped text; returns false if XML cannot represent it.
    static func append(_ text: String, to bytes: inout [UInt8]) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += "&amp;".utf8
            case "<": bytes += "&lt;".utf8
            case ">": bytes += "&gt;".utf8
            // Unescaped, a reader would convert it to LF.
            case "\r": bytes += "&#13;".utf8
            default:
                guard canHold(scalar) else { return false }
                bytes += String(scalar).utf8
            }
        }
        return true
    }
}
