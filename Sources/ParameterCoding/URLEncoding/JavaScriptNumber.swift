/// Formats numbers as JavaScript does (ECMA-262, `Number::toString` for the radix 10).
enum JavaScriptNumber {
    /// The text of a number; non-finite numbers are written as words.
    static func text(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if number == 0 { return "0" }
        let (digits, pointPlace) = shortest(number.magnitude)
        return (number < 0 ? "-" : "") + text(digits, pointPlace)
    }

    /// The significant digits, and the number of digits before the decimal point. They are the
    /// shortest digits that round-trip, the same that Swift prints.
    private static func shortest(_ number: Double) -> (digits: [UInt8], pointPlace: Int) {
        let parts = number.description.split(separator: "e")
        let mantissa = Array((parts.first ?? "0").utf8)
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.count
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        var pointPlace = point + exponent
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        while digits.count > 1, digits.first == 0x30 {
            digits.removeFirst()
            pointPlace -= 1
        }
        return (digits, pointPlace)
    }

    private static func text(_ digits: [UInt8], _ pointPlace: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        switch pointPlace {
        case digits.count...21 where digits.count <= 21:
            return text + zeros(pointPlace - digits.count)
        case 1...21:
            return text.prefix(pointPlace) + "." + text.dropFirst(pointPlace)
        case -5...0:
            return "0." + zeros(-pointPlace) + text
        default:
            let exponent = pointPlace - 1
            let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
            return text.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+")
                + exponent.magnitude.description
        }
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}
