internal import ProxydCivilTime

/// Parses absolute times (RFC 3339); parts may be left out from the right.
struct FilterTimeReader {
    /// A time as written, in its own time zone.
    struct Written {
        /// Seconds since 1970-01-01T00:00:00 in that time zone.
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        /// The length of the written period, in nanoseconds; a day if only the date is written.
        var precision: Int64 = 86_400_000_000_000
        /// The offset from UTC in seconds, or nil if none is written.
        var offset: Int?
    }

    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// Parses the whole text, or returns nil.
    mutating func read() -> Written? {
        var written = Written()
        guard let year = number(digitCount: 4), take("-"),
            let month = number(digitCount: 2), take("-"), let day = number(digitCount: 2)
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        guard date.isValid else { return nil }
        written.seconds = date.daysSinceEpoch * CivilTime.secondsPerDay
        if rest.isEmpty { return written }
        guard take("T") || take("t") || take(" "), readClock(into: &written),
            readOffset(into: &written), rest.isEmpty
        else { return nil }
        return written
    }

    private mutating func readClock(into written: inout Written) -> Bool {
        guard let hour = number(digitCount: 2), hour < 24, take(":"),
            let minute = number(digitCount: 2), minute < 60
        else { return false }
        written.seconds += hour * 3_600 + minute * 60
        written.precision = 60_000_000_000
        guard take(":") else { return true }
        guard let second = number(digitCount: 2), second <= 60 else { return false }
        written.seconds += second
        written.precision = 1_000_000_000
        guard take(".") else { return true }
        var digitCount = 0
        while digitCount < 9, let digit = number(digitCount: 1) {
            written.precision /= 10
            written.nanoseconds += digit * written.precision
            digitCount += 1
        }
        return digitCount > 0
    }

    private mutating func readOffset(into written: inout Written) -> Bool {
        if rest.isEmpty { return true }
        if take("Z") || take("z") {
            written.offset = 0
            return true
        }
        let isBehind = take("-")
        guard isBehind || take("+"), let hour = number(digitCount: 2), hour < 24 else {
            return false
        }
        _ = take(":")
        guard let minute = number(digitCount: 2), minute < 60 else { return false }
        let seconds = Int(hour * 3_600 + minute * 60)
        written.offset = isBehind ? -seconds : seconds
        return true
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(digitCount: Int) -> Int64? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(digitCount)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
