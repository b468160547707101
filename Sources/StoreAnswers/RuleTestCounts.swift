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
    private var misses: RuleMisses
    /// How many exchanges were tested.
    package private(set) var exchangeCount = 0

    /// - Parameters:
    ///   - name: The only rule to count, or nil for all of them.
    ///   - now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    package init(_ rules: RuleSet, only name: String?, now: Int64) {
        misses = RuleMisses(name.map(rules.only) ?? rules, now: now)
        names = rules.rules.filter(\.isEnabled).map(\.name).filter { name == nil || $0 == name }
    }

    /// The counts of a rule.
    package func line(_ name: String) -> Line { lines[name] ?? Line() }

    /// Why a rule matches none of the exchanges; nil if it matches one, or is not reached.
    package func miss(_ name: String) -> RuleMisses.Reason? { misses.reason(of: name) }

    /// - Parameter name: The exchange's name for users.
    package mutating func add(
        _ results: [AppliedRule], to exchange: Exchange, named name: String
    ) {
        exchangeCount += 1
        misses.add(exchange, named: name, matching: Set(results.map(\.rule)))
        for result in results {
            var line = line(result.rule)
            if !result.outcome.hasPrefix("not reached") {
                line.matches.insert(exchange.id.rawValue)
                line.first = line.first ?? name
                line.last = name
            }
            line.outcomes[result.outcome, default: 0] += 1
            lines[result.rule] = line
        }
    }

    /// An object for each rule.
    /// - Parameters:
    ///   - showsValues: Whether values that filters examined may be in it: they may be credentials.
    ///   - exchangeName: How the name of an exchange is written.
    package func json(
        showsValues: Bool, name exchangeName: (String) -> JSONValue = ExchangeNameJSON.value
    ) -> [JSONValue] {
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
                ("first", line.first.map(exchangeName) ?? .null),
                ("last", line.last.map(exchangeName) ?? .null),
                ("never_because", .text(miss(name)?.text(showsValues: showsValues))),
            ])
        }
    }
}
