/// Converts line ends to those that a browser's form sends.
enum FormLineEnds {
    /// The bytes with each lone LF and CR replaced by CRLF (WHATWG HTML, "constructing the entry
    /// list").
    static func normalized(_ octets: [UInt8]) -> [UInt8] {
        guard octets.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return octets }
        var normalized: [UInt8] = []
        normalized.reserveCapacity(octets.count + 16)
        var previous: UInt8 = 0
        for octet in octets {
            switch octet {
            case 0x0D: normalized += [0x0D, 0x0A]
            case 0x0A where previous == 0x0D: break
            case 0x0A: normalized += [0x0D, 0x0A]
            default: normalized.append(octet)
            }
            previous = octet
        }
        return normalized
    }
}
