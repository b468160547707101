internal import ProxydCivilTime
internal import Glibc

/// An exact number with a unit; no floating point is used between parsing and comparison.
struct FilterQuantity: Sendable, Hashable {
    /// The value in the smallest unit.
    let value: Int64
    /// The weight of the last written digit, in the smallest unit; 100 ms for `1.5s`.
    let precision: Int64

    /// The range of a comparison; `=` accepts every value that rounds down to the written one.
    func range(_ comparison: FilterOperator) -> FilterNumberRange? {
        let last = value.addingReportingOverflow(max(1, precision) - 1)
        let end = last.overflow ? Int64.max : last.partialValue
        return FilterQuantity.range(from: value, to: end, comparison)
    }

    /// The range of a comparison with `first` to `last`, which `=` accepts as a whole.
    static func range(
        from first: Int64, to last: Int64, _ comparison: FilterOperator
    ) -> FilterNumberRange? {
        let none = FilterNumberRange(lower: 1, upper: 0)
        switch comparison {
        case .equals: return FilterNumberRange(lower: first, upper: last)
        case .less: return first == .min ? none : FilterNumberRange(upper: first - 1)
        case .lessOrEqual: return FilterNumberRange(upper: first)
        case .greater: return first == .max ? none : FilterNumberRange(lower: first + 1)
        case .greaterOrEqual: return FilterNumberRange(lower: first)
        case .contains, .matches: return nil
        }
    }

    /// Parses `12` or `1.5` with a unit from the table; nil if the text is invalid or too large.
    init?(_ text: String, units: [String: Int64]) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard let unit = units[text.dropFirst(digits.count).lowercased()],
            parts.count <= 2, let whole = Int64(parts[0])
        else { return nil }
        let product = whole.multipliedReportingOverflow(by: unit)
        guard !product.overflow else { return nil }
        guard parts.count == 2 else {
            self.init(value: product.partialValue, precision: unit)
            return
        }
        guard let fraction = FilterQuantity.fraction(String(parts[1]), of: unit) else { return nil }
        let sum = product.partialValue.addingReportingOverflow(fraction.value)
        guard !sum.overflow else { return nil }
        self.init(value: sum.partialValue, precision: fraction.precision)
    }

    private init(value: Int64, precision: Int64) {
        self.value = value
        self.precision = precision
    }

    private static func fraction(_ digits: String, of unit: Int64) -> FilterQuantity? {
        guard (1...9).contains(digits.utf8.count), let number = Int64(digits) else { return nil }
        let divisor = digits.utf8.reduce(Int128(1)) { power, _ in power * 10 }
        // The result is less than the unit, so it fits; 128 bits keep the product from overflowing.
        let value = Int64(truncatingIfNeeded: Int128(unit) * Int128(number) / divisor)
        let precision = Int64(truncatingIfNeeded: Int128(unit) / divisor)
        return FilterQuantity(value: value, precision: max(1, precision))
    }

    /// Sizes in bytes: `k` is 1,000 and `Ki` is 1,024.
    static let sizeUnits: [String: Int64] = [
        "": 1, "b": 1,
        "k": 1_000, "kb": 1_000, "ki": 1 << 10, "kib": 1 << 10,
        "m": 1_000_000, "mb": 1_000_000, "mi": 1 << 20, "mib": 1 << 20,
        "g": 1_000_000_000, "gb": 1_000_000_000, "gi": 1 << 30, "gib": 1 << 30,
        "t": 1_000_000_000_000, "tb": 1_000_000_000_000, "ti": 1 << 40, "tib": 1 << 40,
    ]

    /// Durations in nanoseconds; a number without a unit is in milliseconds, as in `duration_ms`.
    static let durationUnits: [String: Int64] = {
        var units = timeSpanUnits
        units[""] = 1_000_000
        return units
    }()

    /// Time spans in nanoseconds; a unit is required.
    static let timeSpanUnits: [String: Int64] = [
        "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000,
        "m": 60_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000,
        "d": 86_400_000_000_000, "w": 604_800_000_000_000,
    ]
}

/// Sizes as filters have them, for options of programs.
public enum SizeText {
    /// The bytes of a size such as `500MB` or `1GiB`; nil if it is not a size.
    public static func byteCount(_ text: String) -> Int64? {
        FilterQuantity(text, units: FilterQuantity.sizeUnits)?.value
    }
}

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
        guard let written = WrittenTime(text), let precision = precision(written.precision),
            !text.utf8.contains(UInt8(ascii: ","))
        else { return nil }
        let seconds = written.seconds - offset(of: written)
        guard let first = Nanoseconds.of(seconds: seconds, rest: written.nanoseconds) else {
            return nil
        }
        let last = first.addingReportingOverflow(precision - 1)
        return last.overflow ? nil : (first, last.partialValue)
    }

    /// The length of the written period, in nanoseconds; nil for more than nine digits.
    private func precision(_ precision: WrittenTime.Precision) -> Int64? {
        switch precision {
        case .day: 86_400_000_000_000
        case .minute: 60_000_000_000
        case .second: 1_000_000_000
        case .fraction(let digitCount):
            digitCount > 9 ? nil : (0..<digitCount).reduce(1_000_000_000) { unit, _ in unit / 10 }
        }
    }

    /// The offset of the written time from UTC, in seconds (positive if ahead).
    private func offset(of written: WrittenTime) -> Int64 {
        if let offset = written.offset { return offset }
        // The zone's offset depends on the moment in UTC, which the first result approximates.
        return Int64(offset(written.seconds - Int64(offset(written.seconds))))
    }
}

/// The time zone of times that are written without an offset.
public enum FilterTimeZone: Sendable, Hashable {
    case utc
    /// The zone that `TZ` or the system specifies.
    case local

    /// The offset from UTC at a moment, in seconds (positive if ahead).
    /// - Parameter seconds: The moment, in seconds since 1970.
    func offset(at seconds: Int64) -> Int {
        guard self == .local else { return 0 }
        var (fields, moment) = (tm(), time_t(seconds))
        return localtime_r(&moment, &fields) == nil ? 0 : fields.tm_gmtoff
    }
}

extension LinearRegex {
    /// Compiles the regular expression in a test's value; errors have columns in the filter.
    static func parse(
        _ value: FilterToken.Value, ignoresCase: Bool, isForBodies: Bool
    ) throws(FilterError) -> LinearRegex {
        do {
            return try LinearRegex(value.text, ignoresCase: ignoresCase, isForBodies: isForBodies)
        } catch {
            throw FilterError(
                column: value.column + error.offset, "regular expression: \(error.message)")
        }
    }
}
