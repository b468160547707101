internal import ProxydExchangeContent
package import ProxydHTTPModel
package import ProxydParameterCoding
internal import ProxydFilter
package import ProxydRules

/// Explains what a rule did with an exchange, and why.
package enum RuleExplanation {
    /// As text, a line for the rule and one for each test of its filter.
    package static func lines(
        _ rule: Rule, _ results: [AppliedRule], _ tests: [RuleTrial.Test]
    ) -> [String] {
        let outcomes = results.map { result in
            let detail = result.detail.map { " (\($0))" } ?? ""
            return "\(result.phase.rawValue): \(result.outcome)\(detail)"
        }
        var lines = ["\(rule.name)  \(summary(rule, outcomes))"]
        for test in tests {
            let mark = test.holds.map { $0 ? "holds" : "fails" } ?? "undecided"
            let value = test.value.map { ": \($0)" } ?? ""
            lines.append("  column \(test.column)  \(test.name)  \(mark)\(value)")
        }
        return lines
    }

    private static func summary(_ rule: Rule, _ outcomes: [String]) -> String {
        if !rule.isEnabled { return "is switched off" }
        return outcomes.isEmpty ? "does not match" : outcomes.joined(separator: "; ")
    }

    /// As JSON.
    package static func value(
        _ rule: Rule, _ results: [AppliedRule], _ tests: [RuleTrial.Test]
    ) -> JSONValue {
        .members([
            ("rule", .string(rule.name)), ("enabled", .bool(rule.isEnabled)),
            ("when", .string(rule.filter.text)),
            ("applied", applied(results)),
            (
                "tests",
                .array(
                    tests.map {
                        .members([
                            ("column", .integer($0.column)), ("field", .string($0.name)),
                            ("holds", $0.holds.map(JSONValue.bool) ?? .null),
                            ("value", .text($0.value)),
                        ])
                    })
            ),
        ])
    }

    /// What rules did, as JSON.
    package static func applied(_ results: [AppliedRule]) -> JSONValue {
        .array(
            results.map {
                .members([
                    ("rule", .string($0.rule)), ("phase", .string($0.phase.rawValue)),
                    ("outcome", .string($0.outcome)), ("detail", .text($0.detail)),
                ])
            })
    }
}
