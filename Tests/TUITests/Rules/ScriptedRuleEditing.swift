import ProxydFilter
import ProxydRules
import Synchronization

@testable import ProxydTUI
import ProxydOperations

/// Rules in memory: a file's text, and a daemon that goes by it.
final class ScriptedRuleEditing: RuleEditing {
    struct State {
        /// The file.
        var text: String
        var temporary = TemporaryRules()
        var isDaemonRunning = true
        /// Why the file cannot be written; nil where it can.
        var writeProblem: String?
        var problems: [String] = []
        var usages: [String: RuleFacts.Usage] = [:]
        var orders: [RuleMapOrder] = []
        /// How often it was asked how the rules are.
        var readCount = 0
    }

    static let file = "/home/u/.config/proxyd/rules.toml"

    private let state: Mutex<State>

    init(_ text: String) { state = Mutex(State(text: text)) }

    var current: State { state.withLock { $0 } }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    private static func outcome(_ state: State) throws -> TemporaryRules.Outcome {
        do {
            return try state.temporary.laid(over: state.text, file: file, now: 0)
        } catch {
            throw RuleRefusal(.rules, "\(error)")
        }
    }

    private static func report(_ state: State) throws -> RulesReport {
        let outcome = try outcome(state)
        let rules = outcome.rules.rules.map { rule in
            RuleFacts(
                name: rule.name, filter: rule.filter.text, isEnabled: rule.isEnabled,
                group: rule.group, isTemporary: outcome.names.contains(rule.name),
                usage: state.isDaemonRunning
                    ? state.usages[rule.name]
                        ?? RuleFacts.Usage(
                            hitCount: 0, changedCount: 0, failedCount: 0, lastHitNs: nil)
                    : nil)
        }
        return RulesReport(
            file: file, isDaemonRunning: state.isDaemonRunning, rules: rules,
            problems: state.problems, remarks: outcome.removed.map { "taken out: \($0)" })
    }

    func rules() throws -> RulesReport {
        try state.withLock { state in
            state.readCount += 1
            return try ScriptedRuleEditing.report(state)
        }
    }

    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport {
        try state.withLock { state in
            do {
                if isTemporary {
                    _ = try state.temporary.make(
                        change, over: state.text, file: ScriptedRuleEditing.file, now: 0)
                } else {
                    var text = try RulesText(state.text, file: ScriptedRuleEditing.file)
                    try change.apply(to: &text)
                    try ScriptedRuleEditing.write(text.text, &state)
                }
            } catch let refusal as RuleRefusal {
                throw refusal
            } catch {
                throw RuleRefusal(.rules, "\(error)")
            }
            return try ScriptedRuleEditing.report(state)
        }
    }

    private static func write(_ text: String, _ state: inout State) throws {
        _ = try RulesFile.read(text, file: file, now: 0)
        if let problem = state.writeProblem { throw RuleRefusal(.file, problem) }
        state.text = text
    }

    func forgetTemporaryChanges() throws -> RulesReport {
        try state.withLock { state in
            state.temporary = TemporaryRules()
            return try ScriptedRuleEditing.report(state)
        }
    }

    func reload() throws -> RulesReport { try rules() }

    func lines(of rule: String) throws -> String {
        try RulesText(try ScriptedRuleEditing.outcome(current).text, file: ScriptedRuleEditing.file)
            .text(of: rule)
    }

    func fileText() throws -> String { current.text }

    func activeText() throws -> String { try ScriptedRuleEditing.outcome(current).text }

    func write(_ text: String, over before: String) throws -> RulesReport {
        try state.withLock { state in
            guard state.text == before else {
                throw RuleRefusal(.file, "\(ScriptedRuleEditing.file) was changed meanwhile")
            }
            do {
                try ScriptedRuleEditing.write(text, &state)
            } catch let refusal as RuleRefusal {
                throw refusal
            } catch {
                throw RuleRefusal(.rules, "\(error)")
            }
            return try ScriptedRuleEditing.report(state)
        }
    }

    func map(_ order: RuleMapOrder) throws -> String {
        try state.withLock { state in
            if let problem = state.writeProblem, !order.isTemporary {
                throw RuleRefusal(.file, problem)
            }
            state.orders.append(order)
            return "\(order.file) is served by the rule \"\(order.rule)\""
        }
    }
}
