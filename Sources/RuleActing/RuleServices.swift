internal import ProxydProxyEngine
internal import ProxydRules

/// The services that all exchanges under rules share.
struct RuleServices: Sendable {
    let scripts: ScriptDesk
    /// The messages that rules hold.
    let desk = HoldDesk()
    /// The memory for all bodies that are held.
    let budget = ByteBudget(byteCountMax: 256 << 20)
    /// The memory for all answers from files and captures, until their clients have taken them.
    let answerBudget = ByteBudget(byteCountMax: 256 << 20)
    let files = FileServing()
    let lines = SharedLines()
    let judging = Judging()

    /// How a body that a rule examines or changes is forwarded.
    var plan: BodyPlan { .whole(byteCountMax: RuledBody.byteCountMax, budget: budget) }
}
