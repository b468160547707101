internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydRules

/// Changes of rules as JSON.
enum RuleChangeReport {
    /// A change that was made.
    /// - Parameters:
    ///   - file: The rules file.
    ///   - isInForce: Whether a daemon is running and applies the rules.
    static func value(
        _ change: RuleChange, in file: String, isTemporary: Bool, isInForce: Bool
    ) -> JSONValue {
        .members([
            ("change", .string(name(of: change))), ("rule", .text(change.rule)),
            ("group", .text(group(of: change))), ("temporary", .bool(isTemporary)),
            ("file", .string(file)), ("in_force", .bool(isInForce)),
        ])
    }

    private static func name(of change: RuleChange) -> String {
        switch change {
        case .add: "add"
        case .replace, .setFilter: "edit"
        case .switchRule(_, let isOn), .switchGroup(_, let isOn): isOn ? "enable" : "disable"
        case .move: "move"
        case .remove: "remove"
        }
    }

    private static func group(of change: RuleChange) -> String? {
        if case .switchGroup(let name, _) = change { name } else { nil }
    }
}
