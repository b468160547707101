internal import ArgumentParser
internal import ProxydControl
internal import ProxydRules

/// Where rules are changed.
struct RuleChangeOptions: ParsableArguments {
    @OptionGroup var file: RuleFileOptions
    @Flag(help: "Change the running daemon's rules only: gone when it ends.")
    var temporary = false

    /// Makes a change, and prints remarks on it.
    func make(_ change: RuleChange, _ global: GlobalOptions) throws {
        try make(change, try file.access(global))
    }

    /// Makes a change, and prints remarks on it.
    func make(_ change: RuleChange, _ access: RulesAccess) throws {
        do {
            report(try access.change(change, isTemporary: temporary), of: change, access)
        } catch let failure as RulesFailure {
            guard case .fileNotWritten(let words) = failure, access.inForce != nil else {
                throw failure.told()
            }
            throw CommandFailure("\(words); --temporary changes the running daemon's rules only")
        }
    }

    private func report(_ inForce: RulesMessage?, of change: RuleChange, _ access: RulesAccess) {
        guard let inForce else {
            return Report.warn("no daemon runs: \(access.path) counts when one does")
        }
        if temporary { return }
        for problem in inForce.problems { Report.warn(problem) }
        let isHidden = inForce.rules.contains { $0.isTemporary && $0.name == change.rule }
        if isHidden, let rule = change.rule {
            Report.warn("a temporary change of \"\(rule)\" still counts: see rule reload --forget")
        }
    }
}
