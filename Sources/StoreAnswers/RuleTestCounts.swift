internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydInterchange
package import ProxydParameterCoding
package import ProxydRules

/// What rules would have done to captured exchanges, counted rule by rule.
package struct RuleTestCounts {
    /// What one rule would have done.
    package struct Line {
        /// The numbers of the exchanges that the rule would have matched.
        package fileprivate(set) var matches: Set<Int64> = []
        /// How often it would have done what.
        package fileprivate(set) var outcomes: [String: Int] = [:]
        /// The names of the first and the last exchange that it would have matched, in the order
        /// of the test.
        package fileprivate(set) var first: String?
        package fileprivate(set) var last: String?
    }

    /// The names of the rules that are on, in order.
    package let names: [String]
    private var lines: [String: Line] = [:]
    /// How many exchanges were tested.
    package private(set) var exchangeCount = 0

    /// - Parameter name: The only rule to count, or nil for all of them.
    package init(_ rules: RuleSet, only name: String?) {
        names = rules.rules.filter(\.isEnabled).map(\.name).filter { name == nil || $0 == name }
    }

    /// The counts of a rule.
    package func line(_ name: String) -> Line { lines[name] ?? Line() }

    /// - Parameter name: The exchange's name for users.
    package mutating func add(
        _ results: [AppliedRule], to id: ExchangeID, named name: String
    ) {
        exchangeCount += 1
        for result in results {
            var line = line(result.rule)
            if !result.outcome.hasPrefix("not reached") {
                line.matches.insert(id.rawValue)
                line.first = line.first ?? name
                line.last = name
            }
            line.outcomes[result.outcome, default: 0] += 1
            lines[result.rule] = line
        }
    }

    /// An object for each rule.
    package var json: [JSONValue] {
        names.map { name in
            let line = line(name)
            return .members([
                ("rule", .string(name)), ("matches", .integer(line.matches.count)),
                ("exchanges", .integer(exchangeCount)),
                (
                    "outcomes",
                    .members(
                        line.outcomes.sorted { $0.key < $1.key }.map {
                            ($0.key, .integer($0.value))
                        })
                ),
                ("first", line.first.map(ExchangeNameJSON.value) ?? .null),
                ("last", line.last.map(ExchangeNameJSON.value) ?? .null),
            ])
        }
    }
}
