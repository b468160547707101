internal import ProxydParameterCoding

/// The scalar values of XML property lists other than text.
enum XMLPropertyListValue {
    /// Parses the trimmed text of an element; nil if it is invalid.
    static func read(_ text: ArraySlice<UInt8>, element: String) -> Parameter? {
        switch element {
        case "integer": integer(text)
        case "real": real(text)
        case "date": ISO8601Text.date(text).map { .date($0) }
        case "data": Base64.bytes(text).map { .data($0) }
        default: nil
        }
    }

    /// Decimal, or hexadecimal after `0x`, with an optional sign.
    private static func integer(_ text: ArraySlice<UInt8>) -> Parameter? {
        var digits = text
        let isNegative = digits.first == 0x2D
        if isNegative || digits.first == 0x2B { digits.removeFirst() }
        let isHex = digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58])
        if isHex { digits.removeFirst(2) }
        guard !digits.isEmpty, let magnitude = magnitude(digits, radix: isHex ? 16 : 10) else {
            return nil
        }
        if !isNegative { return Int64(exactly: magnitude).map { .int($0) } ?? .uint(magnitude) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    private static func magnitude(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt64? {
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = Byte.hexValue(byte), UInt64(digit) < radix else { return nil }
            let (scaled, scaledOver) = value.multipliedReportingOverflow(by: radix)
            let (sum, sumOver) = scaled.addingReportingOverflow(UInt64(digit))
            if scaledOver || sumOver { return nil }
            value = sum
        }
        return value
    }

    /// Digits as in C, and the words that property list writers use for non-finite numbers.
    private static func real(_ text: ArraySlice<UInt8>) -> Parameter? {
        let word = String(decoding: text, as: UTF8.self)
        switch word.lowercased() {
        case "nan", "+nan", "-nan": return .double(.nan)
        case "inf", "+inf", "infinity", "+infinity": return .double(.infinity)
        case "-inf", "-infinity": return .double(-.infinity)
        default: break
        }
        let isPlain = text.allSatisfy {
            Byte.isDigit($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        return isPlain ? Double(word).map { .double($0) } : nil
    }
}
