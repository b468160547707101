internal import ProxydFilter
public import ProxydHTTPModel

/// Determines why rules match none of the tested exchanges, and what comes nearest.
public struct RuleMisses {
    /// Why a rule matches nothing.
    public enum Reason: Sendable, Hashable {
        case nothingTested
        /// A part of its filter holds for no exchange; the nearest value, and how many exchanges
        /// have it, if the part tests a single value.
        case neverMatches(part: String, nearest: String?, count: Int)
        /// Every part holds for some exchange, but never all for the same one; this exchange comes
        /// nearest, and this part fails there.
        case neverTogether(part: String, value: String?, exchange: String)
        /// The filter holds for this exchange, but it has no messages that the rule acts on.
        case noMessage(exchange: String)
        /// Undecided for some exchanges, because their bodies were not kept.
        case undecided

        /// As text, after "never matches: ".
        /// - Parameter showsValues: Whether the values that the filter examined may be in it.
        public func text(showsValues: Bool) -> String {
            switch self {
            case .nothingTested: "there was no exchange to test"
            case .neverMatches(let part, let nearest?, let count) where showsValues:
                "\(part) never holds; nearest: \(nearest) (\(count))"
            case .neverMatches(let part, _, _): "\(part) never holds"
            case .neverTogether(let part, let value, let exchange):
                "its tests never hold together; nearest: exchange \(exchange), where \(part) fails"
                    + (value.map { showsValues ? ": \($0)" : "" } ?? "")
            case .noMessage(let exchange):
                "its filter holds for exchange \(exchange), which has no message for its actions"
            case .undecided: "undecided where bodies were not kept"
            }
        }
    }

    /// The rules that have matched nothing so far.
    private var rules: [String: Progress] = [:]

    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    public init(_ rules: RuleSet, now: Int64) {
        for rule in rules.rules where rule.isEnabled {
            self.rules[rule.name] = Progress(rule.filter, now)
        }
    }

    /// - Parameter matching: The rules that match it, or were not reached.
    public mutating func add(_ exchange: Exchange, named name: String, matching: Set<String>) {
        for rule in matching { rules[rule] = nil }
        guard !rules.isEmpty, let subject = RuleTrial.subject(of: exchange) else { return }
        for rule in rules.keys { rules[rule]?.add(subject, named: name) }
    }

    /// Why a rule matches none of the exchanges; nil if it matches one.
    public func reason(of rule: String) -> Reason? { rules[rule]?.reason }

    /// What is known of a rule that has matched nothing yet.
    private struct Progress {
        /// A condition that the filter joins with `and`.
        private struct Part {
            static let valueCountMax = 1_000

            let filter: Filter
            var holds = false
            var isUndecided = false
            /// How many exchanges have which value, if the part tests a single one.
            var values: [String: Int] = [:]

            mutating func decide(_ subject: RuleSubject) -> (FilterDecision, value: String?) {
                let decision = filter.decision(subject)
                var value: String?
                switch decision {
                case .passes: holds = true
                case .open: isUndecided = true
                case .fails:
                    if filter.terms.count == 1 { value = filter.tests(of: subject).first?.value }
                    if let value, values[value] != nil || values.count < Part.valueCountMax {
                        values[value, default: 0] += 1
                    }
                }
                return (decision, value)
            }

            var reason: Reason {
                // What follows the operator, or the whole part: only used to find similar values.
                let sought = filter.text.split(maxSplits: 1) { ":=~<>".contains($0) }.last
                let nearest = NearNames.nearest(to: String(sought ?? ""), among: values)
                return .neverMatches(
                    part: filter.text, nearest: nearest, count: nearest.flatMap { values[$0] } ?? 0)
            }
        }

        private var parts: [Part]
        private var exchangeCount = 0
        private var nearest: (holdCount: Int, exchange: String, failing: Filter?, value: String?)?

        init(_ filter: Filter, _ now: Int64) {
            parts = Filter.parts(of: filter.text).compactMap {
                (try? Filter.parse($0, now: now)).map { Part(filter: $0) }
            }
        }

        mutating func add(_ subject: RuleSubject, named name: String) {
            exchangeCount += 1
            var holdCount = 0
            var failing: (filter: Filter, value: String?)?
            for index in parts.indices {
                let (decision, value) = parts[index].decide(subject)
                if decision == .passes {
                    holdCount += 1
                } else if failing == nil {
                    failing = (parts[index].filter, value)
                }
            }
            if let nearest, nearest.holdCount >= holdCount { return }
            nearest = (holdCount, name, failing?.filter, failing?.value)
        }

        var reason: Reason {
            guard exchangeCount > 0, let nearest else { return .nothingTested }
            if let part = parts.first(where: { !$0.holds }) {
                return part.isUndecided ? .undecided : part.reason
            }
            guard let failing = nearest.failing else {
                return .noMessage(exchange: nearest.exchange)
            }
            return .neverTogether(
                part: failing.text, value: nearest.value, exchange: nearest.exchange)
        }
    }
}
