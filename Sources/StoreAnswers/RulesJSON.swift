internal import ProxydExchangeContent
package import ProxydOperations
package import ProxydParameterCoding

/// Rules as the interface sends them.
package enum RulesJSON {
    package static func value(_ report: RulesReport) -> JSONValue {
        .members([
            ("file", .string(report.file)), ("daemon", .bool(report.isDaemonRunning)),
            ("problems", .strings(report.problems)), ("remarks", .strings(report.remarks)),
            ("rules", .array(report.rules.map(rule))),
        ])
    }

    private static func rule(_ facts: RuleFacts) -> JSONValue {
        .members([
            ("name", .string(facts.name)), ("when", .string(facts.filter)),
            ("enabled", .bool(facts.isEnabled)), ("group", .text(facts.group)),
            ("temporary", .bool(facts.isTemporary)), ("hits", .integer(facts.usage?.hitCount)),
            ("changed", .integer(facts.usage?.changedCount)),
            ("failed", .integer(facts.usage?.failedCount)),
            ("last_hit_at", SummaryJSON.moment(facts.usage?.lastHitNs ?? 0)),
        ])
    }
}
