/// Distinguishes dates and times, which no key accepts, from invalid values.
enum TOMLMoment {
    /// `date`, `time` or `date-time`, or nil if the token is not one of them.
    static func kind(of token: [UInt8]) -> String? {
        var rest = token[...]
        if takeTime(&rest) { return rest.isEmpty ? "time" : nil }
        rest = token[...]
        guard takeDate(&rest) else { return nil }
        if rest.isEmpty { return "date" }
        guard take("Tt ", from: &rest), takeTime(&rest) else { return nil }
        return rest.isEmpty || (takeZone(&rest) && rest.isEmpty) ? "date-time" : nil
    }

    private static func takeDate(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let year = number(4, from: &rest), take("-", from: &rest),
            let month = number(2, from: &rest), take("-", from: &rest),
            let day = number(2, from: &rest), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let isShort = [4, 6, 9, 11].contains(month)
        let dayCount = month == 2 ? (isLeap ? 29 : 28) : isShort ? 30 : 31
        return (1...dayCount).contains(day)
    }

    private static func takeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard takeHourAndMinute(&rest), take(":", from: &rest),
            let second = number(2, from: &rest), second < 60
        else { return false }
        guard take(".", from: &rest) else { return true }
        let fraction = rest.prefix(while: isDigit)
        rest = rest.dropFirst(fraction.count)
        return !fraction.isEmpty
    }

    private static func takeZone(_ rest: inout ArraySlice<UInt8>) -> Bool {
        take("Zz", from: &rest) || (take("+-", from: &rest) && takeHourAndMinute(&rest))
    }

    private static func takeHourAndMinute(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let hour = number(2, from: &rest), hour < 24, take(":", from: &rest),
            let minute = number(2, from: &rest)
        else { return false }
        return minute < 60
    }

    private static func number(_ digitCount: Int, from rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digitCount)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ one: String, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, one.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Whether the byte is an ASCII digit.
    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
