internal import ProxydCivilTime
internal import Glibc

/// A filter over exchanges, as people type it: `host:example method=POST duration>1s`.
///
/// The language is described in `FilterManual`. A filter is a pure value: the same one runs as SQL
/// over the store and as a predicate over live exchanges.
public struct Filter: Sendable {
    /// The filter as it was typed.
    public let text: String
    /// What the filter looks at, in the order of its text.
    public let looks: [FilterLook]
    /// The meaning of each look on its own, in the order of `looks`.
    let meanings: [FilterExpression]
    let expression: FilterExpression

    /// The filter that all exchanges pass.
    public static let everything = Filter(
        text: "", looks: [], meanings: [], expression: .everything)

    /// Whether this is the empty filter.
    public var matchesEverything: Bool {
        if case .everything = expression { return true }
        return false
    }

    /// Parses a filter. An empty one lets everything pass.
    /// - Parameters:
    ///   - now: The time from which `-15m` is counted back, in nanoseconds since 1970.
    ///   - timeZone: The time zone of times that are written without an offset.
    public static func parse(
        _ text: String, now: Int64, timeZone: FilterTimeZone = .local
    ) throws(FilterError) -> Filter {
        let builder = FilterTestBuilder(times: FilterTime(now: now, offset: timeZone.offset))
        let parsed = try FilterParser.parse(text, builder)
        let looks = parsed.looks.map { look in
            FilterLook(
                name: look.name.isEmpty ? "url" : look.name, column: look.column,
                moment: look.meaning.moment)
        }
        return Filter(
            text: text, looks: looks, meanings: parsed.looks.map(\.meaning),
            expression: parsed.tree)
    }

    /// Parses a filter, with the current time as `now`.
    public static func parse(_ text: String) throws(FilterError) -> Filter {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return try parse(
            text, now: Nanoseconds.clamping(seconds: Int64(now.tv_sec)) &+ Int64(now.tv_nsec))
    }

    /// Whether an exchange passes, without any database. False while the decision is still open.
    public func matches(_ subject: some FilterSubject) -> Bool { decision(subject) == .passes }

    /// The decision on an exchange of which not everything may be known yet.
    public func decision(_ subject: some FilterSubject) -> FilterDecision {
        expression.decision(subject)
    }

    /// The moment by which the filter is decided for every exchange.
    public var moment: FilterMoment { expression.moment }

    /// The plan that a store executes to find the matching exchanges.
    package var plan: FilterPlan { FilterPlan(expression) }
}
