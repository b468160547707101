/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count / 3 + 1) * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let second = left > 1 ? bytes[index + 1] : 0
            let third = left > 2 ? bytes[index + 2] : 0
            text.append(digit(bytes[index] >> 2))
            text.append(digit(bytes[index] << 4 | second >> 4))
            text.append(left > 1 ? digit(second << 2 | third >> 6) : padding)
            text.append(left > 2 ? digit(third) : padding)
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text, ignoring white space. nil if it is not valid Base64 or its padding is wrong.
    public static func bytes(_ text: String) -> [UInt8]? { bytes(Array(text.utf8)[...]) }

    public static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: text.count / 4 * 3)
        var paddingCount = 0
        for byte in text where !Byte.isJSONWhitespace(byte) {
            if byte == padding {
                paddingCount += 1
            } else {
                guard paddingCount == 0, decoder.append(byte) else { return nil }
            }
        }
        let rest = decoder.digitCount & 3
        guard rest != 1, paddingCount == (4 - rest) & 3 else { return nil }
        return decoder.bytes
    }

    /// Decodes a text up to its padding, ignoring characters that are not Base64 digits.
    static func lenientBytes(_ text: [UInt8]) -> [UInt8] {
        var decoder = Base64Decoder(capacity: text.count / 4 * 3)
        for byte in text.prefix(while: { $0 != padding }) { _ = decoder.append(byte) }
        return decoder.bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 { alphabet[Int(value & 0x3F)] }
}

/// Assembles bytes from Base64 digits of six bits each.
struct Base64Decoder {
    private(set) var bytes: [UInt8] = []
    /// The number of digits processed so far.
    private(set) var digitCount = 0
    private var bits: UInt32 = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a digit; returns false if it is not one.
    mutating func append(_ digit: UInt8) -> Bool {
        guard let value = Base64Decoder.value(digit) else { return false }
        bits = bits << 6 | value
        digitCount += 1
        // Of four digits, the first adds 6 bits; the next start with 4 and 2 bits of a new byte.
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
