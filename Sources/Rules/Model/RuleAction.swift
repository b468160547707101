/// One action of a rule.
public struct RuleAction: Sendable {
    /// What the action does.
    public let verb: RuleVerb
    /// Whether its value must not appear in the store or the log.
    public let isSecret: Bool

    init(_ verb: RuleVerb, isSecret: Bool = false) {
        self.verb = verb
        self.isSecret = isSecret
    }

    /// Whether the whole body is needed for the action.
    /// - Parameter holds: Whether anyone can decide about held messages.
    func needsBody(holds: Bool) -> Bool {
        switch verb {
        case .edit(let edit): edit.target.isInBody && !edit.isByLine
        case .hold: holds
        case .run(let call): call.sendsBody
        default: false
        }
    }
}
