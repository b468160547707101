internal import ArgumentParser
internal import ProxydControl
internal import ProxydRules

/// Where rules are changed.
struct RuleChangeOptions: ParsableArguments {
    @OptionGroup var file: RuleFileOptions
    @Flag(help: "Change only the running daemon's rules; the change ends with it.")
    var temporary = false
    @Flag(help: "Print the change as a JSON object.")
    var json = false

    /// Makes a change, and prints remarks on it.
    func make(_ change: RuleChange, _ global: GlobalOptions) throws {
        try make(change, try file.access(global))
    }

    /// Makes a change, and prints remarks on it.
    func make(_ change: RuleChange, _ access: RulesAccess) throws {
        do {
            let inForce = try access.change(change, isTemporary: temporary)
            report(inForce, of: change, access)
            if json {
                Report().json(
                    RuleChangeReport.value(
                        change, in: access.path, isTemporary: temporary,
                        isInForce: inForce != nil))
            }
        } catch let failure as RulesFailure {
            guard case .fileNotWritten(let words) = failure, access.inForce != nil else {
                throw failure.told()
            }
            throw CommandFailure("\(words); --temporary changes only the running daemon's rules")
        }
    }

    private func report(_ inForce: RulesMessage?, of change: RuleChange, _ access: RulesAccess) {
        guard let inForce else {
            return Report.warn("no daemon is running: \(access.path) takes effect when one starts")
        }
        if temporary { return }
        for problem in inForce.problems { Report.warn(problem) }
        let isHidden = inForce.rules.contains { $0.isTemporary && $0.name == change.rule }
        if isHidden, let rule = change.rule {
            Report.warn(
                "a temporary change of \"\(rule)\" is still in force: see rule reload --forget")
        }
    }
}
