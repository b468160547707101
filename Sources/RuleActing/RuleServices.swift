internal import ProxydProxyEngine
internal import ProxydRules

/// What exchanges under rules share.
struct RuleServices: Sendable {
    let scripts: ScriptDesk
    /// Where messages wait that rules hold.
    let desk = HoldDesk()
    /// For the bodies of all exchanges that are held back.
    let budget = ByteBudget(byteCountMax: 256 << 20)
    let files = FileServing()
    let lines = SharedLines()
    let judging = Judging()

    /// How a body goes on that a rule looks at or changes.
    var plan: BodyPlan { .whole(byteCountMax: RuledBody.byteCountMax, budget: budget) }
}
