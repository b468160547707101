/// Reads Base64 with padding (RFC 4648 §4).
enum Base64Reader {
    /// The octets of a text; white space is skipped. Nil where it is no Base64, or its padding is
    /// wrong.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for octet in text where !Octet.isJSONWhitespace(octet) {
            if octet == 0x3D {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let value = value(octet) else { return nil }
            bits = bits << 6 | value
            digitCount += 1
            if digitCount & 3 == 0 { appendOctets(bits, 3, &decoded) }
        }
        let rest = digitCount & 3
        guard rest != 1, paddingCount == (4 - rest) & 3 else { return nil }
        if rest > 0 { appendOctets(bits << UInt32(6 * (4 - rest)), rest - 1, &decoded) }
        return decoded
    }

    /// Appends the first `count` octets of 24 bits.
    private static func appendOctets(_ bits: UInt32, _ count: Int, _ octets: inout [UInt8]) {
        for place in 0..<count {
            octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place)))
        }
    }

    private static func value(_ octet: UInt8) -> UInt32? {
        switch octet {
        case 0x41...0x5A: UInt32(octet) - 0x41
        case 0x61...0x7A: UInt32(octet) - 0x47
        case 0x30...0x39: UInt32(octet) + 4
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
