/// Normalizes JSON numbers, so that different spellings are equal: `1`, `1.0` and `10e-1`.
package enum MockNumber {
    /// Returns the digits without leading and trailing zeros, and the power of ten; the unchanged
    /// text if it is not a number, or if its exponent is out of range.
    package static func normalised(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let exponentText = rest.dropFirst(mantissa.count + 1)
        guard let exponent = exponentText.isEmpty ? 0 : number(exponentText) else { return text }
        let halves = mantissa.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = halves.dropFirst().first ?? []
        var digits = Array((halves.first ?? []) + fraction)[...]
        while digits.first == UInt8(ascii: "0") { digits.removeFirst() }
        guard !digits.isEmpty else { return "0" }
        var power = exponent - fraction.count
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            power += 1
        }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + "e\(power)"
    }

    /// Parses an exponent that is small enough for later additions not to overflow.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let number = Int(String(decoding: digits, as: UTF8.self)),
            (-(1 << 60)...(1 << 60)).contains(number)
        else { return nil }
        return number
    }
}
