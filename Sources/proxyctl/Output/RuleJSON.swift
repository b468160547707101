internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydSystem

/// Rules as JSON, with what the running daemon has counted.
struct RuleJSON {
    private let usage: [String: RulesMessage.Rule]
    /// The line at which each rule of the file starts; empty if the file contains errors.
    private let lines: [String: Int]

    init(_ access: RulesAccess) {
        usage = Dictionary(
            (access.inForce?.rules ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let rules = try? RulesFile.read(
            access.read(), file: access.path, now: SystemClock.wallNow())
        lines = Dictionary(
            (rules?.rules ?? []).map { ($0.name, $0.line) }, uniquingKeysWith: { $1 })
    }

    /// One rule.
    /// - Parameter text: The lines of the rule in the file, if they are to be part of it.
    func value(_ rule: Rule, text: String? = nil) -> JSONValue {
        let usage = usage[rule.name]
        return .members(
            [
                ("name", .string(rule.name)), ("enabled", .bool(rule.isEnabled)),
                ("when", .string(rule.filter.text)), ("group", .text(rule.group)),
                ("stop", .bool(rule.stops)), ("limit", .integer(rule.hitCountMax ?? 0)),
                ("sees", .string(rule.view.rawValue)),
                ("line", .integer(lines[rule.name])),
                ("temporary", .bool(usage?.isTemporary ?? false)),
                ("hits", .integer(usage?.hitCount)), ("changed", .integer(usage?.changedCount)),
                ("failed", .integer(usage?.failedCount)),
                ("last_hit", .text(usage?.lastHitNs.map { RFC3339.text(nanoseconds: $0) })),
                ("mocks", .array((usage?.mocks ?? []).map(RuleJSON.value))),
            ] + (text.map { [("text", .string($0))] } ?? []))
    }

    private static func value(_ mock: RulesMessage.Mock) -> JSONValue {
        .members([
            ("captures", .integer(mock.captureCount)), ("served", .integer(mock.servedCount)),
            ("unmatched", .integer(mock.unmatchedCount)),
            ("never_served", .integer(mock.neverServedCount)),
            ("problems", .array(mock.problems.map(JSONValue.string))),
        ])
    }
}
