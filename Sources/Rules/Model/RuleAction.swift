/// One thing that a rule does.
public struct RuleAction: Sendable {
    /// What is done.
    public let verb: RuleVerb
    /// Whether the value it puts in is left out of store and log.
    public let isSecret: Bool

    init(_ verb: RuleVerb, isSecret: Bool = false) {
        self.verb = verb
        self.isSecret = isSecret
    }

    /// Whether the whole body is needed to do it.
    /// - Parameter holds: Whether there is someone to hold messages for.
    func needsBody(holds: Bool) -> Bool {
        switch verb {
        case .edit(let edit): edit.target.isInBody && !edit.isByLine
        case .hold: holds
        case .run(let call): call.sendsBody
        default: false
        }
    }
}
