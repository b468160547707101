/// Assembles bytes from Base64 digits of six bits each.
struct Base64Decoder {
    private(set) var bytes: [UInt8] = []
    /// The number of digits processed so far.
    private(set) var digitCount = 0
    private var bits: UInt32 = 0

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends a digit; returns false if it is not one.
    mutating func append(_ digit: UInt8) -> Bool {
        guard let value = Base64Decoder.value(digit) else { return false }
        bits = bits << 6 | value
        digitCount += 1
        // The first of four digits contributes 6 bits; the next ones start with 4 and 2 bits of a
        // new byte.
        let place = digitCount & 3
        if place != 1 {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(2 * ((4 - place) & 3))))
        }
        return true
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case 0x41...0x5A: UInt32(digit) - 0x41
        case 0x61...0x7A: UInt32(digit) - 0x47
        case 0x30...0x39: UInt32(digit) + 4
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
