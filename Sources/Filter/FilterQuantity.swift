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

    /// The range of a comparison with the values from `first` to `last`, which `=` accepts as a
    /// whole.
    static func range(
        from first: Int64, to last: Int64, _ comparison: FilterOperator
    ) -> FilterNumberRange? {
        let none = FilterNumberRange(lower: 1, upper: 0)
        switch comparison {
        case .equals: return FilterNumberRange(lower: first, upper: last)
        case .less:
            return first == .min ? none : FilterNumberRange(upper: first - 1)
        case .lessOrEqual: return FilterNumberRange(upper: first)
        case .greater:
            return first == .max ? none : FilterNumberRange(lower: first + 1)
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
