internal import ProxydFilter
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydTerminalText

/// The rules in order, their usage, and keys that change them. All changes are edits of the file's
/// lines, or of the daemon's memory.
struct RulesScreen: LineListScreen {
    /// What a text in the editor belongs to.
    enum Subject: Sendable, Hashable {
        case rule(String)
        case newRule
        case file
    }

    /// What the screen expects from the filter bar or the editor.
    enum Question: Sendable, Hashable {
        case filter(rule: String)
        /// A text that replaces another.
        case text(Subject, before: String)
    }

    struct Draft: Sendable, Hashable {
        let text: String
        /// The text that it was to replace.
        let before: String
    }

    typealias Answer = Filter

    enum News: Sendable {
        case report(RulesReport)
        case changed(RuleWorks.Changed)
        case refused(RuleWorks.Refused)
        case lines(RuleWorks.Lines)
        case filtered(FilterBar.Answer)
        case form(RuleForm.Answer)
        case decided(Decision)
    }

    enum Decision: Sendable, Hashable {
        case remove(String)
        /// Make a change in the daemon's memory.
        case temporarily(RuleChange)
        case nothing
    }

    let title = "Rules"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .rules]
    static let barCounts = (above: 1, below: 1)
    /// The minimum time between queries to the daemon, in nanoseconds.
    private static let lookPeriodNs: Int64 = 1_000_000_000

    /// The current rules, or nil before they are read.
    private(set) var report: RulesReport?
    private(set) var problem: String?
    var cursor = ListCursor()
    var isTemporary = false
    var question: Question?
    /// Refused texts, which the editing keys reopen.
    var drafts: [Subject: Draft] = [:]
    /// The last input of the form.
    var draft: RuleDraft?
    var purpose: Purpose
    private var lookedAtNs = Int64.min

    enum Purpose: Sendable, Hashable {
        case rules
        /// To add a rule; the form is not open yet.
        case adding(RuleDraft)
        /// To add a rule in the form.
        case asking
    }

    init(adding draft: RuleDraft? = nil) { purpose = draft.map { .adding($0) } ?? .rules }

    var rules: [RuleFacts] { report?.rules ?? [] }
    var selected: RuleFacts? {
        rules.indices.contains(cursor.selected) ? rules[cursor.selected] : nil
    }

    mutating func appear(_ context: Context) -> [Effect] {
        fit(context)
        let reading = report == nil ? look(context, isQuiet: false) : []
        guard case .adding(let draft) = purpose else { return reading }
        purpose = .asking
        return reading + [.ask(RuleForm(draft)) { .form($0) }]
    }

    /// Closes the screen if it was opened only to add a rule and that was cancelled.
    mutating func giveUp() -> [Effect] { purpose == .asking ? [.close] : [] }

    // MARK: Moving

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .reload: return [.work(RuleWorks.reload())]
        case .listHits: return listHits(context)
        default: return performOnRule(action, context)
        }
    }

    /// Goes back to the list with a filter for the exchanges that the rule matched.
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

    /// Reads the rules, unless that happened a moment ago.
    private mutating func look(_ context: Context, isQuiet: Bool) -> [Effect] {
        let (since, isFar) = context.now.subtractingReportingOverflow(lookedAtNs)
        guard isFar || since >= RulesScreen.lookPeriodNs || since < 0 else { return [] }
        lookedAtNs = context.now
        return [.work(RuleWorks.read(isQuiet: isQuiet))]
    }

    /// Shows the current rules; the cursor stays on its rule.
    mutating func take(_ report: RulesReport, selecting rule: String? = nil) {
        let name = rule ?? selected?.name
        self.report = report
        problem = nil
        cursor.count = rules.count
        if let index = rules.firstIndex(where: { $0.name == name }) { cursor.select(index) }
    }

    // MARK: Drawing

    private typealias Column = Table<RuleFacts>.Column

    func draw(into canvas: Canvas, _ context: Context) {
        let table = table(canvas.columns, context)
        table.drawHeadings(into: canvas)
        let body = canvas.part(row: 1, rows: canvas.rows - 2)
        if rules.isEmpty { body.drawRemark(emptyText) }
        body.drawLines(of: cursor) { table.draw(rules[$0], into: body, row: $1) }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private var emptyText: String {
        if let problem { return problem }
        guard let report else { return "reading…" }
        return report.problems.isEmpty
            ? "no rules yet: n adds one; in the list A adds one for an exchange"
            : "no rules are in force"
    }

    private func table(_ width: Int, _ context: Context) -> Table<RuleFacts> {
        let longest = rules.map { TerminalText.displayWidth(TerminalText.sanitize($0.name)) }.max()
        var columns = [
            Column(title: "", width: 1) { ($0.isTemporary ? "~" : "", Style(.notice)) },
            Column(title: "on", width: 3) { rule in
                (rule.isEnabled ? "on" : "off", Style(rule.isEnabled ? .good : .dim))
            },
            Column(title: "rule", width: max(4, min(longest ?? 0, width / 4))) { rule in
                (rule.name, rule.isEnabled ? Style(.plain).adding(.bold) : Style(.dim))
            },
        ]
        if width >= 100, rules.contains(where: { $0.group != nil }) {
            columns.append(Column(title: "group", width: 10) { ($0.group ?? "", Style(.key)) })
        }
        columns += [
            RulesScreen.count("hits", \.hitCount, .plain),
            RulesScreen.count("changed", \.changedCount, .plain),
            RulesScreen.count("failed", \.failedCount, .bad),
        ]
        columns.append(
            Column(title: "last hit", width: 11) { rule in
                let time = rule.usage?.lastHitNs.map { context.clock.short($0, now: context.now) }
                return (time ?? "", Style(.dim))
            })
        columns.append(
            Column(title: "when", width: width - Table(columns: columns).width) { rule in
                let isDim = rule.filter.isEmpty || !rule.isEnabled
                let filter = rule.filter.isEmpty ? "everything" : rule.filter
                return (filter, Style(isDim ? .dim : .accent))
            })
        return Table(columns: columns)
    }

    /// Formats a count: `-` if no daemon counts, dim if zero.
    private static func count(
        _ title: String, _ path: any KeyPath<RuleFacts.Usage, Int> & Sendable, _ role: Style.Role
    ) -> Column {
        Column(title: title, width: 7, isRight: true) { rule in
            guard let count = rule.usage?[keyPath: path] else { return ("-", Style(.dim)) }
            return (Quantity.grouped(Int64(count)), Style(count == 0 ? .dim : role))
        }
    }

    // MARK: The bottom line

    private func drawInformation(_ canvas: Canvas) {
        canvas.fill(" ", Style(.plain, on: .bar))
        canvas.drawFitted(information, row: 0)
        canvas.tint(row: 0, .bar)
    }

    /// Errors first, then where changes go, and the path of the file.
    private var information: StyledText {
        var line = StyledText()
        guard let report else { return line }
        if let first = report.problems.first {
            let more = report.problems.count - 1
            line.append(" \(RulesScreen.short(first, report))", Style(.bad).adding(.bold))
            if more > 0 {
                line.append("  and \(Quantity.count(more, "mistake")) more", Style(.bad))
            }
            if report.isDaemonRunning { line.append("  the old rules stay in force") }
            return line
        }
        if isTemporary { line.append(" ~ changes are temporary", Style(.notice).adding(.bold)) }
        line.append(" \(Quantity.count(rules.count, "rule"))")
        if !report.isDaemonRunning { line.append("  no daemon is running", Style(.warning)) }
        for remark in report.remarks { line.append("  \(remark)", Style(.notice)) }
        line.append("  \(report.file)", Style(.dim))
        return line
    }

    /// An error with the file's name instead of its path.
    static func short(_ problem: String, _ report: RulesReport?) -> String {
        guard let report, problem.hasPrefix(report.file + ":"),
            let slash = report.file.lastIndex(of: "/")
        else { return problem }
        return String(report.file[slash...].dropFirst() + problem.dropFirst(report.file.count))
    }
}
