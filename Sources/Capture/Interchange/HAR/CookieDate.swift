/// The dates of cookies, in all the ways they are written (RFC 6265 §5.1.1).
enum CookieDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Nanoseconds since 1970; nil where it is no date.
    static func nanoseconds(_ text: String) -> Int64? {
        var (time, day, month, year): ([Int64]?, Int64?, Int64?, Int64?) = (nil, nil, nil, nil)
        for token in text.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let number = digits(token, 1...2) {
                day = number
            } else if month == nil, let found = months.firstIndex(of: token.prefix(3).lowercased())
            {
                month = Int64(found) + 1
            } else if year == nil, let number = digits(token, 2...4) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601,
            time[0] < 24, time[1] < 60, time[2] < 60
        else { return nil }
        let seconds = time[0] * 3600 + time[1] * 60 + time[2]
        return RFC3339.nanoseconds(
            year: year, month: month, day: day, secondOfDay: seconds, nanoseconds: 0)
    }

    private static func isDelimiter(_ character: Character) -> Bool {
        guard let octet = character.asciiValue else { return false }
        return octet == 0x09 || (0x20...0x2F).contains(octet) || (0x3B...0x40).contains(octet)
            || (0x5B...0x60).contains(octet) || (0x7B...0x7E).contains(octet)
    }

    /// `h:m:s`, one or two digits each.
    private static func clock(_ token: Substring) -> [Int64]? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { digits($0, 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    /// The number that a token begins with, of so many digits.
    private static func digits(_ token: Substring, _ count: ClosedRange<Int>) -> Int64? {
        let digits = token.prefix { $0.isASCII && $0.isNumber }
        guard count.contains(digits.count) else { return nil }
        return Int64(digits)
    }
}
