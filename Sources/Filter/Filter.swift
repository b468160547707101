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
    public let terms: [FilterTerm]
    /// The meaning of each term on its own, in the order of `terms`.
    let meanings: [FilterExpression]
    let expression: FilterExpression

    public static let everything = Filter(
        text: "", terms: [], meanings: [], expression: .everything)

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
        let terms = parsed.terms.map { term in
            FilterTerm(
                name: term.name.isEmpty ? "url" : term.name, column: term.column,
                moment: term.meaning.moment)
        }
        return Filter(
            text: text, terms: terms, meanings: parsed.terms.map(\.meaning),
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

/// One value that a filter tests, its position, and when it becomes known. Used to report tests
/// that come too late.
public struct FilterTerm: Sendable, Hashable {
    /// The field or operator: `status`, `~c`; `url` for a plain word.
    public let name: String
    /// The position in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    public let moment: FilterMoment
}

extension Filter {
    package struct TestResult: Sendable {
        package let term: FilterTerm
        /// The result of the test alone; a `not` around it is not applied.
        package let decision: FilterDecision
        /// The tested value if it is a single text or number; otherwise nil.
        package let value: String?
    }

    /// The result of each test for an exchange, in the order of the filter's text.
    package func tests(of subject: some FilterSubject) -> [TestResult] {
        zip(terms, meanings).map { term, meaning in
            TestResult(
                term: term, decision: meaning.decision(subject),
                value: Filter.value(of: meaning, subject))
        }
    }

    private static func value(
        of expression: FilterExpression, _ subject: some FilterSubject
    ) -> String? {
        guard case .test(let test) = expression, subject.isKnown(test.moment) else { return nil }
        switch test {
        case .text(.columns(let columns), _) where columns.count == 1:
            return columns.first.flatMap(subject.text)
        case .text(.header(let name, let sides), _):
            let values = sides.flatMap(subject.headerFields)
                .filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        case .text(.parameter(let name), _):
            let values = subject.parameterValues(named: name).map { $0 ?? "" }
            return values.isEmpty ? nil : values.joined(separator: ", ")
        case .number(let column, _): return subject.number(column).map(String.init)
        case .text, .closeCode, .isMarked: return nil
        }
    }

    /// Whether the filter is a disjunction: its text must be put in parentheses before it can be
    /// joined with another condition.
    public var isAlternative: Bool {
        if case .any = expression { return true }
        return false
    }

    /// The conjunction of filters. It has no terms, because it was not typed.
    package static func all(_ filters: [Filter]) -> Filter {
        let filters = filters.filter { !$0.matchesEverything }
        if filters.isEmpty { return .everything }
        return Filter(
            text: filters.map { "(\($0.text))" }.joined(separator: " "), terms: [], meanings: [],
            expression: .all(filters.map(\.expression)))
    }

    /// The negation of this filter. It has no terms, because it was not typed.
    package var negated: Filter {
        Filter(
            text: matchesEverything ? "not ~all" : "not (\(text))", terms: [], meanings: [],
            expression: .not(expression))
    }

    /// The conditions that a filter joins with `and` outside of parentheses, as written. A filter
    /// that is not such a conjunction, or not valid, is its own only part.
    package static func parts(of text: String) -> [String] {
        guard (try? parse(text, now: 0)) != nil,
            let tokens = try? FilterTokenizer<FilterTestBuilder>.tokens(of: text)
        else { return [text] }
        var ranges: [(start: Int, end: Int?)] = []
        var (depth, isNegated) = (0, false)
        for token in tokens {
            let isOutside = depth == 0
            if isOutside, ranges.last?.end == nil, !isNegated, !ranges.isEmpty {
                ranges[ranges.count - 1].end = token.column
            }
            switch token.kind {
            case .or where isOutside: return [text]
            case .and where isOutside: continue
            case .close:
                depth -= 1
                continue
            case .open: depth += 1
            case .and, .or, .not, .word, .test, .mitmproxy: break
            }
            if isOutside, !isNegated { ranges.append((token.column, nil)) }
            if isOutside { isNegated = if case .not = token.kind { true } else { false } }
        }
        let scalars = Array(text.unicodeScalars)
        return ranges.map { range in
            let end = min(range.end ?? scalars.count + 1, scalars.count + 1)
            var part = String.UnicodeScalarView()
            part.append(contentsOf: scalars[(range.start - 1)..<(end - 1)])
            return trimmed(String(part))
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// The only host for which an exchange can pass, canonical (`HostName`); nil if the filter does
    /// not require one by itself. An exchange for another host never passes.
    package var requiredHost: String? { Filter.requiredHost(of: expression) }

    private static func requiredHost(of expression: FilterExpression) -> String? {
        switch expression {
        case .test(.text(.columns([.host]), .isHost(let host))): host
        case .all(let parts): parts.lazy.compactMap(requiredHost).first
        case .everything, .any, .not, .test: nil
        }
    }

    /// A text that a filter searches for in bodies.
    public struct SoughtText: Sendable, Hashable {
        /// The text to search for; ASCII letters match in either case.
        public var text: String
        /// The messages whose bodies are searched.
        public var sides: [FilterSide]
    }

    /// The first text that is searched for in bodies, with `body:TEXT` or `body=TEXT` outside
    /// `not`; nil if there is none. If it is in an `or`, an exchange can match without it.
    public var soughtInBodies: SoughtText? { expression.soughtInBodies }
}

extension FilterExpression {
    fileprivate var soughtInBodies: Filter.SoughtText? {
        switch self {
        case .everything, .not: nil
        case .all(let parts), .any(let parts): parts.lazy.compactMap(\.soughtInBodies).first
        case .test(.text(.body(let sides), .contains(let search))):
            Filter.SoughtText(text: String(decoding: search.needle, as: UTF8.self), sides: sides)
        case .test(.text(.body(let sides), .equals(let text))):
            Filter.SoughtText(text: text, sides: sides)
        case .test: nil
        }
    }
}
