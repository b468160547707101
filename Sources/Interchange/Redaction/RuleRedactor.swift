package import ProxydHTTPModel

/// Takes credentials out of what rules say they did; their names stay.
package struct RuleRedactor: Sendable {
    private let scanner: SecretScanner

    /// Takes out the values of these names.
    package init(_ names: SecretNames) { scanner = SecretScanner(names) }

    /// What a rule did, without credentials in its detail.
    package func redacted(_ rule: AppliedRule) -> AppliedRule {
        guard let detail = rule.detail, let changed = scanner.redacted(Array(detail.utf8)) else {
            return rule
        }
        return AppliedRule(
            rule: rule.rule, phase: rule.phase, outcome: rule.outcome,
            detail: String(decoding: changed, as: UTF8.self))
    }
}
