/// Converts line ends to those that a browser's form sends.
enum FormLineEnds {
    /// The bytes with each lone LF and CR replaced by CRLF (WHATWG HTML, "constructing the entry
    /// list").
    static func normalized(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return bytes }
        var normalized: [UInt8] = []
        normalized.reserveCapacity(bytes.count + 16)
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case 0x0D: normalized += [0x0D, 0x0A]
            case 0x0A where previous == 0x0D: break
            case 0x0A: normalized += [0x0D, 0x0A]
            default: normalized.append(byte)
            }
            previous = byte
        }
        return normalized
    }
}
