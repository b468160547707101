internal import ProxydFilter
internal import ProxydOperations
internal import ProxydRules

extension RulesScreen {
    mutating func performOnRule(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .newRule: return startNewRule()
        case .temporaryRules: return toggleTemporary()
        case .forgetTemporaryRules: return [.work(RuleWorks.forget())]
        case .editRulesFile: return startEditing(nil)
        default: break
        }
        guard let rule = selected else { return [] }
        switch action {
        case .switchRule: return switchRule(rule)
        case .switchGroup: return switchGroup(of: rule)
        case .removeRule:
            return [.ask(RulesScreen.confirmation(of: rule.name, isKept(rule))) { .decided($0) }]
        case .moveRuleUp: return move(rule, by: -1)
        case .moveRuleDown: return move(rule, by: 1)
        case .editRule: return startEditing(rule)
        case .editRuleFilter: return startFiltering(rule, rule.filter)
        default: return []
        }
    }

    /// Whether a change of a rule goes to the file. A rule that differs from the file's is changed
    /// in memory.
    private func isKept(_ rule: RuleFacts) -> Bool { !isTemporary && !rule.isTemporary }

    private mutating func toggleTemporary() -> [Effect] {
        guard isTemporary || report?.isDaemonRunning != false else {
            return [
                .notify(.problem("no daemon is running: temporary rules exist only in its memory"))
            ]
        }
        isTemporary.toggle()
        return [
            .notify(
                .information(
                    isTemporary
                        ? "changes are now made in the daemon's memory: lost when it ends"
                        : "changes are now written to the file"))
        ]
    }

    // MARK: Switches and places

    private func switchRule(_ rule: RuleFacts) -> [Effect] {
        let isOn = !rule.isEnabled
        return change(
            .switchRule(name: rule.name, isOn: isOn), of: rule,
            "\(rule.name) is switched \(isOn ? "on" : "off")")
    }

    private func switchGroup(of rule: RuleFacts) -> [Effect] {
        guard let group = rule.group else {
            return [.notify(.information("\(rule.name) is in no group"))]
        }
        let isOn = !rules.contains { $0.group == group && $0.isEnabled }
        return change(
            .switchGroup(name: group, isOn: isOn), of: rule,
            "the group \(group) is switched \(isOn ? "on" : "off")")
    }

    private func move(_ rule: RuleFacts, by step: Int) -> [Effect] {
        // The file does not contain rules that are only in memory.
        let place = cursor.selected
        let others = step < 0 ? rules[..<place].reversed() : Array(rules[(place + 1)...])
        let isKept = isKept(rule)
        guard let other = others.first(where: { !isKept || !$0.isTemporary }) else { return [] }
        let target: RulesText.Position = step < 0 ? .before(other.name) : .after(other.name)
        return change(
            .move(name: rule.name, place: target), of: rule,
            "\(rule.name) is \(step < 0 ? "before" : "after") \(other.name)")
    }

    private func change(_ change: RuleChange, of rule: RuleFacts, _ words: String) -> [Effect] {
        [.work(RuleWorks.change(change, isTemporary: !isKept(rule), words))]
    }

    private static func confirmation(of name: String, _ isKept: Bool) -> ChoiceScreen<Decision> {
        let words = isKept ? "remove it from the file" : "remove it until the daemon ends"
        return .confirming("Remove \(name)", yes: (words, .remove(name)), no: ("keep it", .nothing))
    }

    // MARK: Texts

    private mutating func startFiltering(
        _ rule: RuleFacts, _ text: String, refusal: String? = nil
    ) -> [Effect] {
        question = .filter(rule: rule.name)
        let bar = FilterBar(text: text, memory: FilterMemory(), refusal: refusal)
        return [.ask(bar) { .filtered($0) }]
    }

    private mutating func startNewRule() -> [Effect] {
        guard let draft = drafts[.newRule] else { return [.ask(RuleForm()) { .form($0) }] }
        return edit(draft.text, of: .newRule, before: "")
    }

    /// Opens the editor on a rule, or on the whole file; on a refused text, if there is one.
    private mutating func startEditing(_ rule: RuleFacts?) -> [Effect] {
        if let rule, let draft = drafts[.rule(rule.name)] {
            return edit(draft.text, of: .rule(rule.name), before: draft.before)
        }
        return [.work(RuleWorks.lines(of: rule?.name))]
    }

    mutating func edit(_ lines: RuleWorks.Lines) -> [Effect] {
        if let rule = lines.rule { return edit(lines.text, of: .rule(rule), before: lines.text) }
        guard let draft = drafts[.file] else {
            return edit(lines.text, of: .file, before: lines.text)
        }
        let editing = edit(draft.text, of: .file, before: lines.text)
        guard draft.before != lines.text else { return editing }
        return editing + [
            .notify(.information("the file was changed in the meantime: this replaces it"))
        ]
    }

    private mutating func edit(_ text: String, of subject: Subject, before: String) -> [Effect] {
        question = .text(subject, before: before)
        return [.edit(EditRequest(fileExtension: "toml", bytes: Array(text.utf8)))]
    }

    // MARK: Answers

    private mutating func answered() -> Question? {
        defer { question = nil }
        return question
    }

    mutating func take(_ decision: Decision) -> [Effect] {
        question = nil
        switch decision {
        case .remove(let name):
            guard let rule = rules.first(where: { $0.name == name }) else { return [] }
            return change(.remove(name: name), of: rule, "\(name) is removed")
        case .temporarily(let change):
            return [.work(RuleWorks.change(change, isTemporary: true, "changed in memory"))]
        case .nothing: return []
        }
    }

    mutating func take(_ answer: FilterBar.Answer) -> [Effect] {
        guard case .filter(let name)? = answered(), let filter = answer.filter,
            let rule = rules.first(where: { $0.name == name })
        else { return [] }
        return change(
            .setFilter(name: name, filter: filter.text), of: rule,
            "the filter of \(name) is changed")
    }

    mutating func take(_ answer: RuleForm.Answer) -> [Effect] {
        question = nil
        guard case .typed(let draft, let lines) = answer else { return giveUp() }
        purpose = .rules
        guard let lines else { return edit(draft.skeleton, of: .newRule, before: "") }
        self.draft = draft
        return add(lines, named: draft.name)
    }

    private func add(_ lines: String, named name: String) -> [Effect] {
        [
            .work(
                RuleWorks.change(
                    .add(name: name, lines: lines, place: .last), isTemporary: isTemporary,
                    "\(name) is added"))
        ]
    }

    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect] {
        guard case .text(let subject, let before)? = answered(), let bytes = edited.bytes else {
            return []
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return [.notify(.problem("this is not UTF-8: nothing was changed"))]
        }
        drafts[subject] = Draft(text: text, before: before)
        switch subject {
        case .file: return [.work(RuleWorks.write(text, over: before))]
        case .rule(let name):
            guard let rule = rules.first(where: { $0.name == name }) else { return [] }
            return change(.replace(name: name, lines: text), of: rule, "\(name) is changed")
        case .newRule: return addEdited(text)
        }
    }

    private mutating func addEdited(_ text: String) -> [Effect] {
        if let name = RulesScreen.name(of: text) { return add(text, named: name) }
        guard text.contains(where: { !$0.isWhitespace }) else {
            drafts[.newRule] = nil
            return []
        }
        return [.notify(.problem("this is not a rule: n opens it again"))]
    }

    /// The name of the first rule in a text, or nil if there is none.
    private static func name(of text: String) -> String? {
        (try? RulesText(text, file: "rule"))?.names.first
    }

    // MARK: Results of changes

    mutating func take(_ changed: RuleWorks.Changed, _ context: Context) -> [Effect] {
        drafts = [:]
        draft = nil
        take(changed.report, selecting: changed.rule)
        let words = changed.report.isDaemonRunning ? "" : "; no daemon is running"
        return [.notify(.success(changed.words + words))]
    }

    /// Shows the reason. The typed or edited text is reopened, or kept for the key that edits it.
    mutating func take(_ refused: RuleWorks.Refused, _ context: Context) -> [Effect] {
        let words = RulesScreen.short(refused.refusal.description, report)
        if refused.refusal.reason == .file, let change = refused.change, !refused.isTemporary,
            report?.isDaemonRunning == true
        {
            return [
                .notify(.problem(words)),
                .ask(ChoiceScreen.offeringTemporary(Decision.temporarily(change))) { .decided($0) },
            ]
        }
        switch refused.change {
        case .setFilter(let name, let filter)?:
            guard let rule = rules.first(where: { $0.name == name }) else { break }
            return startFiltering(rule, filter, refusal: words)
        case .add?:
            guard let draft else { return [.notify(.problem("\(words); n opens it again"))] }
            self.draft = nil
            return [.ask(RuleForm(draft, remark: words)) { .form($0) }]
        case .replace?: return [.notify(.problem("\(words); e opens it again"))]
        case nil where !refused.isTemporary:
            return [.notify(.problem("\(words); E opens it again"))]
        default: break
        }
        return [.notify(.problem(words))]
    }
}

enum RuleWorks {
    private static let readSlot = "rules"

    struct Changed: Sendable {
        let report: RulesReport
        let words: String
        let rule: String?
    }

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

    static func read(isQuiet: Bool) -> Work<RulesScreen.News> {
        Work(readSlot, on: .details, isQuiet: isQuiet) { .report(try ruleEditing($0).rules()) }
    }

    /// Makes the daemon read the file again.
    static func reload() -> Work<RulesScreen.News> {
        Work(readSlot, on: .actions) { .report(try ruleEditing($0).reload()) }
    }

    /// - Parameter words: The notice after the change.
    static func change(_ change: RuleChange, isTemporary: Bool, _ words: String) -> Work<
        RulesScreen.News
    > {
        changing(change, isTemporary: isTemporary) { ruleEditing in
            Changed(
                report: try ruleEditing.change(change, isTemporary: isTemporary), words: words,
                rule: change.ruleAfter)
        }
    }

    static func write(_ text: String, over before: String) -> Work<RulesScreen.News> {
        changing(nil, isTemporary: false) { ruleEditing in
            Changed(
                report: try ruleEditing.write(text, over: before), words: "the file is written",
                rule: nil)
        }
    }

    static func forget() -> Work<RulesScreen.News> {
        changing(nil, isTemporary: true) { ruleEditing in
            Changed(
                report: try ruleEditing.forgetTemporaryChanges(),
                words: "the rules are again those of the file", rule: nil)
        }
    }

    private static func changing(
        _ change: RuleChange?, isTemporary: Bool,
        _ body: @escaping @Sendable (any RuleEditing) throws -> Changed
    ) -> Work<RulesScreen.News> {
        Work("rule.change", on: .actions, isKept: true) { context in
            do {
                return .changed(try body(try ruleEditing(context)))
            } catch let refusal as RuleRefusal {
                return .refused(Refused(refusal: refusal, change: change, isTemporary: isTemporary))
            }
        }
    }

    static func lines(of rule: String?) -> Work<RulesScreen.News> {
        Work("rule.lines", on: .details) { context in
            let ruleEditing = try ruleEditing(context)
            return .lines(
                Lines(rule: rule, text: try rule.map(ruleEditing.lines) ?? ruleEditing.fileText()))
        }
    }

    static func map(_ order: RuleMapOrder) -> Work<RuleMapScreen.News> {
        Work("rule.map", on: .actions) { context in
            do {
                return .saved(.success(try ruleEditing(context).map(order)))
            } catch let refusal as RuleRefusal {
                return .refused(refusal)
            }
        }
    }

    private static func ruleEditing(_ context: WorkContext) throws -> any RuleEditing {
        try context.hostActions.ruleEditing.orFail("there are no rules here")
    }
}
