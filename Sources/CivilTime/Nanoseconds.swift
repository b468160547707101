/// Other units of time as nanoseconds, in 64 bits, enough for 292 years. No number traps, wherever
/// it comes from.
public enum Nanoseconds {
    static let perSecond: Int64 = 1_000_000_000

    /// Nil if they do not fit.
    /// - Parameter rest: Nanoseconds to add.
    public static func of(seconds: Int64, rest: Int64 = 0) -> Int64? {
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: perSecond)
        let (sum, isOver) = whole.addingReportingOverflow(rest)
        return isTooLarge || isOver ? nil : sum
    }

    /// Nil if they do not fit.
    public static func of(microseconds: Int64) -> Int64? {
        let (product, isOver) = microseconds.multipliedReportingOverflow(by: 1_000)
        return isOver ? nil : product
    }

    /// Clamped to 64 bits, as in the other forms.
    public static func clamping(seconds: Int64) -> Int64 { clamping(seconds, perSecond) }

    public static func clamping(milliseconds: Int64) -> Int64 { clamping(milliseconds, 1_000_000) }

    public static func clamping(microseconds: Int64) -> Int64 { clamping(microseconds, 1_000) }

    private static func clamping(_ count: Int64, _ unit: Int64) -> Int64 {
        let (product, isOver) = count.multipliedReportingOverflow(by: unit)
        guard isOver else { return product }
        return count < 0 ? .min : .max
    }
}
