package import ProxydHTTPModel

/// Removes credentials from what rules report about their effect; the names of rules stay.
package struct RuleRedactor: Sendable {
    private let scanner: SecretScanner

    /// Creates a redactor that hides the values of these names.
    package init(_ names: SecretNames) { scanner = SecretScanner(names) }

    /// Returns the applied rule with credentials removed from its detail.
    package func redacted(_ rule: AppliedRule) -> AppliedRule {
        guard let detail = rule.detail, let changed = scanner.redacted(Array(detail.utf8)) else {
            return rule
        }
        return AppliedRule(
            rule: rule.rule, phase: rule.phase, outcome: rule.outcome,
            detail: String(decoding: changed, as: UTF8.self))
    }
}
