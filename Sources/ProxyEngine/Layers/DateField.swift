internal import Glibc

/// The value of Date for a response that came without (RFC 9110 §6.6.1).
enum DateField {
    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The wall clock's moment.
    static func now() -> String { text(secondsSinceEpoch: time(nil)) }

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func text(secondsSinceEpoch: Int) -> String {
        var seconds = secondsSinceEpoch
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // gmtime_r gives 0…6 and 0…11 for every moment that it can break down, else zeros.
        let day = dayNames[Int(parts.tm_wday) % dayNames.count]
        let month = monthNames[Int(parts.tm_mon) % monthNames.count]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0, 2) }
        return "\(day), \(padded(parts.tm_mday, 2)) \(month) \(padded(parts.tm_year + 1900, 4)) "
            + clock.joined(separator: ":") + " GMT"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
