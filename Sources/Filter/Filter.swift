public import Foundation

/// A filter over exchanges, as people type it: `host:example method=POST duration>1s`.
///
/// The language is described in `FilterManual`. A filter is a pure value: the same one runs as
/// SQL over the store and as a predicate over live exchanges.
public struct Filter: Sendable {
    /// The filter as it was typed.
    public let text: String
    /// What it looks at, in the order of its text.
    public let looks: [FilterLook]
    /// What each look means by itself.
    let meanings: [FilterExpression]
    let expression: FilterExpression

    /// The filter that all exchanges pass.
    public static let everything = Filter(
        text: "", looks: [], meanings: [], expression: .everything)

    /// Whether it is the empty filter.
    public var matchesEverything: Bool {
        if case .everything = expression { return true }
        return false
    }

    /// Understands a filter. An empty one lets everything pass.
    /// - Parameters:
    ///   - now: What `-15m` counts from, in nanoseconds since 1970.
    ///   - timeZone: What times without an offset are meant in.
    public static func parse(
        _ text: String, now: Int64, timeZone: TimeZone = .current
    ) throws(FilterError) -> Filter {
        let builder = FilterTestBuilder(times: FilterTime(now: now, timeZone: timeZone))
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

    /// Understands a filter typed just now.
    public static func parse(_ text: String) throws(FilterError) -> Filter {
        try parse(text, now: Int64(Date().timeIntervalSince1970 * 1_000) &* 1_000_000)
    }

    /// Whether an exchange passes, without any database. One that is still open does not.
    public func matches(_ subject: some FilterSubject) -> Bool { decision(subject) == .passes }

    /// What it says of an exchange of which not everything may be known yet.
    public func decision(_ subject: some FilterSubject) -> FilterDecision {
        expression.decision(subject)
    }

    /// When it is decided for every exchange, at the latest.
    public var moment: FilterMoment { expression.moment }

    /// What a store has to find.
    package var plan: FilterPlan { FilterPlan(expression) }
}
