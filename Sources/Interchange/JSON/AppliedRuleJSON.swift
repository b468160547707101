internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The effects of rules, as in `applied_rules` of `show --json` and `_rules` of HAR.
enum AppliedRuleJSON {
    /// The name of the member in a HAR entry.
    static let harName = "_rules"

    static func value(_ rules: [AppliedRule]) -> JSONValue {
        .array(
            rules.map {
                .members([
                    ("rule", .string($0.rule)), ("phase", .string($0.phase.rawValue)),
                    ("outcome", .string($0.outcome)), ("detail", .text($0.detail)),
                    ("hold_start_ms", .milliseconds($0.hold?.startNs)),
                    ("hold_ms", .milliseconds($0.hold?.durationNs)),
                ])
            })
    }

    /// Reads the same JSON again; invalid elements are left out.
    static func rules(_ value: JSONValue?) -> [AppliedRule] {
        (value?.elements ?? []).compactMap { element in
            guard let rule = element["rule"]?.text,
                let phase = element["phase"]?.text.flatMap(AppliedRule.Phase.init(rawValue:))
            else { return nil }
            var applied = AppliedRule(
                rule: rule, phase: phase, outcome: element["outcome"]?.text ?? "",
                detail: element["detail"]?.text)
            if let startNs = element["hold_start_ms"]?.nanoseconds,
                let durationNs = element["hold_ms"]?.nanoseconds
            {
                applied.hold = AppliedRule.Hold(startNs: startNs, durationNs: durationNs)
            }
            return applied
        }
    }
}
