internal import ProxydCivilTime

/// Parses times: `2026-11-20`, `2026-11-20T10:00`, `…:30.250`, followed by `Z`, `+01:00` or nothing
/// (local time), and `-15m` for 15 minutes before now.
struct FilterTime {
    /// The current time, in nanoseconds since 1970.
    let now: Int64
    /// The local time zone's offset from UTC, in seconds, at a moment in seconds since 1970.
    let offset: (Int64) -> Int

    /// Returns the first and last nanosecond of the written time: `2026-11-20` covers a day. nil if
    /// the text is not a time or lies outside the years 1678 to 2261.
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
        guard let first = Nanoseconds.of(seconds: seconds, rest: written.nanoseconds) else {
            return nil
        }
        let last = first.addingReportingOverflow(written.precision - 1)
        return last.overflow ? nil : (first, last.partialValue)
    }

    /// The offset of the written time from UTC, in seconds (positive if ahead).
    private func offset(of written: FilterTimeReader.Written) -> Int {
        if let offset = written.offset { return offset }
        // The zone's offset depends on the moment in UTC, which the first result approximates.
        return offset(written.seconds - Int64(offset(written.seconds)))
    }
}
