internal import ProxydFilter
internal import ProxydRules
internal import ProxydOperations

/// Work on rules, off the drawing thread.
enum RuleWorks {
    static let countSlot = "rule.count"
    static let readSlot = "rules"

    /// The result of a change.
    struct Changed: Sendable {
        let report: RulesReport
        let words: String
        /// The rule to select.
        let rule: String?
    }

    /// A change was refused.
    struct Refused: Sendable {
        let refusal: RuleRefusal
        /// The requested change, or nil for the whole file.
        let change: RuleChange?
        let isTemporary: Bool
    }

    /// Text for the editor, and where it comes from.
    struct Lines: Sendable {
        /// The rule, or nil for the whole file.
        let rule: String?
        let text: String
    }

    /// Counts the exchanges that match a filter.
    static func count(_ filter: Filter) -> Work<RuleForm.News> {
        Work(countSlot, on: .counts) { context, report in
            var pace = ReportPace()
            return .counted(
                try context.rows.count(filter) { found in
                    if pace.isDue() { report(.counting(found)) }
                })
        }
    }

    /// Reads the current rules.
    static func read(isQuiet: Bool) -> Work<RulesScreen.News> {
        Work(readSlot, on: .details, isQuiet: isQuiet) { .report(try ruling($0).rules()) }
    }

    /// Makes the daemon read the file again.
    static func reload() -> Work<RulesScreen.News> {
        Work(readSlot, on: .actions) { .report(try ruling($0).reload()) }
    }

    /// Makes a change.
    /// - Parameter words: The notice after the change.
    static func change(_ change: RuleChange, isTemporary: Bool, _ words: String) -> Work<
        RulesScreen.News
    > {
        changing(change, isTemporary: isTemporary) { ruling in
            Changed(
                report: try ruling.change(change, isTemporary: isTemporary), words: words,
                rule: change.ruleAfter)
        }
    }

    /// Writes the whole file.
    static func write(_ text: String, over before: String) -> Work<RulesScreen.News> {
        changing(nil, isTemporary: false) { ruling in
            Changed(
                report: try ruling.write(text, over: before), words: "the file is written",
                rule: nil)
        }
    }

    /// Discards the changes in the daemon's memory.
    static func forget() -> Work<RulesScreen.News> {
        changing(nil, isTemporary: true) { ruling in
            Changed(
                report: try ruling.forgetTemporaryChanges(),
                words: "the rules are again those of the file", rule: nil)
        }
    }

    private static func changing(
        _ change: RuleChange?, isTemporary: Bool,
        _ body: @escaping @Sendable (any Ruling) throws -> Changed
    ) -> Work<RulesScreen.News> {
        Work("rule.change", on: .actions, isKept: true) { context in
            do {
                return .changed(try body(try ruling(context)))
            } catch let refusal as RuleRefusal {
                return .refused(
                    Refused(refusal: refusal, change: change, isTemporary: isTemporary))
            }
        }
    }

    /// Reads the lines of a rule, or the whole file.
    static func lines(of rule: String?) -> Work<RulesScreen.News> {
        Work("rule.lines", on: .details) { context in
            let ruling = try ruling(context)
            return .lines(
                Lines(rule: rule, text: try rule.map(ruling.lines) ?? ruling.fileText()))
        }
    }

    /// Saves a body and adds a rule that serves it.
    static func map(_ order: RuleMapOrder) -> Work<RuleMapScreen.News> {
        Work("rule.map", on: .actions) { context in
            do {
                return .saved(.success(try ruling(context).map(order)))
            } catch let refusal as RuleRefusal {
                return .refused(refusal)
            }
        }
    }

    private static func ruling(_ context: WorkContext) throws -> any Ruling {
        guard let ruling = context.hostActions.ruling else {
            throw WorkFailure("there are no rules here")
        }
        return ruling
    }
}
