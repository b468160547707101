internal import ProxydFilter
internal import ProxydRules

/// The rules in their order, what each has done, and the keys that change them. All changes are
/// edits of the file's lines, or of the daemon's memory.
struct RulesScreen: ScreenModel {
    /// What a text in the editor is of.
    enum Subject: Sendable, Hashable {
        case rule(String)
        case newRule
        case file
    }

    /// What the screen waits for from the filter bar or the editor.
    enum Question: Sendable, Hashable {
        /// A filter for a rule.
        case filter(rule: String)
        /// A text that takes the place of another.
        case text(Subject, before: String)
    }

    /// A text that was edited and not taken.
    struct Draft: Sendable, Hashable {
        let text: String
        /// What it was to take the place of.
        let before: String
    }

    /// A filter for the list below.
    typealias Answer = Filter

    enum News: Sendable {
        case report(RulesReport)
        case changed(RuleWorks.Changed)
        case refused(RuleWorks.Refused)
        /// Text for the editor.
        case lines(RuleWorks.Lines)
        case filtered(FilterBar.Answer)
        case form(RuleForm.Answer)
        case decided(Decision)
    }

    /// What a question of this screen is answered with.
    enum Decision: Sendable, Hashable {
        case remove(String)
        /// Make a change in the daemon's memory.
        case temporarily(RuleChange)
        case nothing
    }

    let title = "Rules"
    let places: Set<Action.Place> = [.everywhere, .moving, .rules]
    /// Lines that are no rules: headings and what is shown.
    static let barCount = 2
    /// The daemon is asked no more often, in nanoseconds.
    private static let lookPeriodNs: Int64 = 1_000_000_000

    /// What is known; nil before anything is.
    private(set) var report: RulesReport?
    /// Why nothing is known.
    private(set) var problem: String?
    private(set) var cursor = ListCursor()
    /// Whether changes are made in the daemon's memory only.
    var isTemporary = false
    /// What is waited for.
    var question: Question?
    /// What the keys that edit open again.
    var drafts: [Subject: Draft] = [:]
    /// What was typed last in the form.
    var draft: RuleDraft?
    /// What it is there for.
    var purpose: Purpose
    private var lookedAtNs = Int64.min

    /// What it was opened for.
    enum Purpose: Sendable, Hashable {
        /// To see and change rules.
        case rules
        /// To add one, which is not asked for yet.
        case adding(RuleDraft)
        /// To add one, which is being typed.
        case asking
    }

    init(adding draft: RuleDraft? = nil) { purpose = draft.map { .adding($0) } ?? .rules }

    var rules: [RuleFacts] { report?.rules ?? [] }
    var selected: RuleFacts? {
        rules.indices.contains(cursor.selected) ? rules[cursor.selected] : nil
    }

    mutating func appear(_ context: Context) -> [Effect] {
        cursor.height = max(1, context.size.rows - RulesScreen.barCount)
        let reading = report == nil ? look(context, isQuiet: false) : []
        guard case .adding(let draft) = purpose else { return reading }
        purpose = .asking
        return reading + [.ask(RuleForm(draft)) { .form($0) }]
    }

    /// It goes where it came from, when what it was opened for is given up.
    mutating func giveUp() -> [Effect] { purpose == .asking ? [.close] : [] }

    // MARK: Moving

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        if cursor.perform(action) { return [] }
        switch action {
        case .reload: return [.work(RuleWorks.reload())]
        case .listHits: return listHits(context)
        default: return performOnRule(action, context)
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(var mouse) = event else { return nil }
        // Below the headings.
        mouse.position.row -= 1
        _ = cursor.use(mouse)
        return []
    }

    /// Goes back to the list with what the rule has hit.
    private func listHits(_ context: Context) -> [Effect] {
        guard let rule = selected else { return [] }
        return [FocusedFilter.answer("rule=\(FilterText.quoted(rule.name))", context)]
    }

    // MARK: News

    static func notice(of news: News) -> Notice? {
        switch news {
        case .changed(let changed): .success(changed.words)
        case .refused(let refused): .problem(refused.refusal.description)
        default: nil
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .report(let report): take(report)
        case .changed(let changed): return take(changed, context)
        case .refused(let refused): return take(refused, context)
        case .lines(let lines): return edit(lines)
        case .filtered(let answer): return take(answer)
        case .form(let answer): return take(answer)
        case .decided(let decision): return take(decision)
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        guard report == nil else { return [.notify(.problem(words))] }
        problem = words
        return []
    }

    mutating func storeChanged(_ context: Context) -> [Effect] { look(context, isQuiet: true) }

    /// Asks how the rules are, unless that was a moment ago.
    private mutating func look(_ context: Context, isQuiet: Bool) -> [Effect] {
        let (since, isFar) = context.now.subtractingReportingOverflow(lookedAtNs)
        guard isFar || since >= RulesScreen.lookPeriodNs || since < 0 else { return [] }
        lookedAtNs = context.now
        return [.work(RuleWorks.read(isQuiet: isQuiet))]
    }

    /// Shows what is known now; the cursor stays on its rule.
    mutating func take(_ report: RulesReport, selecting rule: String? = nil) {
        let name = rule ?? selected?.name
        self.report = report
        problem = nil
        cursor.count = rules.count
        if let index = rules.firstIndex(where: { $0.name == name }) { cursor.select(index) }
    }
}
