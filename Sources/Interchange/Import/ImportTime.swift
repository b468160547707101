internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// When an exchange started, as programs write it.
enum ImportTime {
    /// Numbers in this range are seconds since 1970, up to the year 2255.
    private static let seconds = 1.0..<9e9
    /// Larger ones are milliseconds; as such the smallest is a day in 1973.
    private static let milliseconds = 1e11..<9e12

    /// Nanoseconds since 1970 of a time as RFC 3339 or HTTP write it, or of a number of seconds or
    /// milliseconds since 1970; nil for anything else, as the year 1 that .NET writes for no time.
    static func nanoseconds(_ value: JSONValue) -> Int64? {
        guard let text = value.text else { return value.number.flatMap(nanoseconds(since1970:)) }
        return RFC3339.nanoseconds(text)
            ?? Double(text).flatMap(nanoseconds(since1970:))
            ?? CookieDateReader.nanosecondsSinceEpoch(Array(text.utf8))
    }

    private static func nanoseconds(since1970 number: Double) -> Int64? {
        if seconds.contains(number) {
            return Nanoseconds.clamping(microseconds: Int64(number * 1e6))
        }
        guard milliseconds.contains(number) else { return nil }
        return Nanoseconds.clamping(milliseconds: Int64(number))
    }
}
