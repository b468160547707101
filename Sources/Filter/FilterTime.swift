internal import Foundation

/// Reads moments: `2026-11-20`, `2026-11-20T10:00`, `…:30.250`, with `Z`, `+01:00` or nothing
/// (local time) behind it, and `-15m` before now.
struct FilterTime {
    /// Nanoseconds since 1970.
    let now: Int64
    /// What a time without an offset is meant in.
    let timeZone: TimeZone

    /// First and last nanosecond of what was written: `2026-11-20` is a day long. Nil where it is
    /// no time, or lies outside the years 1678 to 2261.
    func read(_ text: String) -> (first: Int64, last: Int64)? {
        if text.hasPrefix("-") {
            guard
                let span = FilterQuantity(
                    String(text.dropFirst()), units: FilterQuantity.timeSpanUnits)
            else { return nil }
            let moment = now.subtractingReportingOverflow(span.value)
            return moment.overflow ? nil : (moment.partialValue, moment.partialValue)
        }
        var reader = FilterTimeReader(text)
        guard let written = reader.read() else { return nil }
        let seconds = written.seconds - Int64(offset(of: written))
        guard let first = FilterTime.nanoseconds(seconds, written.nanoseconds) else { return nil }
        let last = first.addingReportingOverflow(written.precision - 1)
        return last.overflow ? nil : (first, last.partialValue)
    }

    /// Seconds by which the written clock is ahead of UTC.
    private func offset(of written: FilterTimeReader.Written) -> Int {
        if let offset = written.offset { return offset }
        // The zone's offset is asked for a moment in UTC; the first answer finds that moment.
        let clock = Double(written.seconds)
        let guess = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: clock))
        return timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: clock - Double(guess)))
    }

    private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64? {
        let product = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = product.partialValue.addingReportingOverflow(rest)
        return product.overflow || sum.overflow ? nil : sum.partialValue
    }
}
