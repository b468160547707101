internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydRules

/// Asks for a new rule: its name, its filter and its actions. Captured exchanges that match the
/// filter are counted during typing.
struct RuleForm: ScreenModel {
    enum Answer: Sendable {
        /// The typed draft and the rule's lines, or nil if the rule is to be written in the editor.
        case typed(RuleDraft, lines: String?)
        case cancelled
    }

    /// The number of matching exchanges, intermediate or final.
    typealias News = RowCount

    private static let countSlot = "rule.count"

    private enum Question: Int, CaseIterable {
        case name, filter, request, response

        var label: String {
            switch self {
            case .name: "Name"
            case .filter: "When"
            case .request: "Request"
            case .response: "Response"
            }
        }

        /// The meaning of an empty field.
        var hint: String {
            switch self {
            case .name: "what the rule is called"
            case .filter: "all exchanges"
            case .request: "hold   block 403   set header:X-Env=staging   send_to URL"
            case .response: "hold   set status=503   set json:a.b=1   delay 200"
            }
        }
    }

    private static let columnCount = 76
    private static let labelColumnCount = 11

    let title = "New rule"
    let scopes: Set<Action.Scope> = [.typing]
    private var fields: [TextField]
    private var focused: Question
    private var error: FilterError?
    private var count = RowCount.unknown
    private var remark: String?

    init(_ draft: RuleDraft = RuleDraft(), remark: String? = nil) {
        fields = [draft.name, draft.filter, draft.request, draft.response].map { TextField($0) }
        focused = draft.filter.isEmpty ? .name : .request
        self.remark = remark
    }

    private var draft: RuleDraft {
        var draft = RuleDraft()
        draft.name = text(.name)
        draft.filter = text(.filter)
        draft.request = text(.request)
        draft.response = text(.response)
        return draft
    }

    private func text(_ question: Question) -> String { fields[question.rawValue].text }

    var hints: [KeyHint] {
        [
            KeyHint(.enter, draft.hasActions ? "adds it" : "opens it in $EDITOR"),
            KeyHint(.tab, "next line"), .back,
        ]
    }

    /// A line for each question, one below the filter, and one for errors.
    var presentation: Presentation {
        .box(Size(columns: RuleForm.columnCount, rows: Question.allCases.count + 3))
    }

    mutating func appear(_ context: Context) -> [Effect] { check(context) }

    // MARK: Typing

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(let key): return press(key, context)
        case .paste(let text):
            fields[focused.rawValue].insert(text)
            return changed(context)
        case .mouse(let mouse) where mouse.kind == .press:
            let row = mouse.position.row
            focused = Question(rawValue: row > 1 ? row - 1 : row) ?? focused
        case .mouse, .resize: break
        }
        return []
    }

    private mutating func press(_ key: Key, _ context: Context) -> [Effect] {
        switch key {
        case .escape, .control("c"): return [.answer(.cancelled)]
        case .enter: return finish()
        case .tab, Key(.down), .control("n"): focus(1)
        case .backtab, Key(.up), .control("p"): focus(-1)
        default:
            guard fields[focused.rawValue].handle(key) else { return [] }
            return changed(context)
        }
        return []
    }

    private mutating func focus(_ step: Int) {
        let count = Question.allCases.count
        focused = Question(rawValue: (focused.rawValue + step + count) % count) ?? .name
    }

    private mutating func changed(_ context: Context) -> [Effect] {
        remark = nil
        return focused == .filter ? check(context) : []
    }

    private mutating func check(_ context: Context) -> [Effect] {
        count = .unknown
        do throws(FilterError) {
            let filter = try context.filter(text(.filter))
            error = nil
            return [.work(.counting(filter, RuleForm.countSlot))]
        } catch {
            self.error = error
            return [.cancelWork(slot: RuleForm.countSlot)]
        }
    }

    private mutating func finish() -> [Effect] {
        do throws(RuleDraft.Problem) {
            let lines = try draft.lines()
            return [.answer(.typed(draft, lines: draft.hasActions ? lines : nil))]
        } catch {
            remark = error.words
            return []
        }
    }

    mutating func receive(_ count: RowCount, _ context: Context) -> [Effect] {
        self.count = count
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        remark = words
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        for question in Question.allCases {
            let row = question.rawValue > 1 ? question.rawValue + 1 : question.rawValue
            draw(question, canvas, row: row)
        }
        drawCount(canvas, row: Question.filter.rawValue + 1)
        let row = Question.allCases.count + 2
        canvas.draw(
            remark ?? "one action each; for more, edit the rule with e in $EDITOR",
            column: 1, row: row, width: canvas.columns - 2, Style(remark == nil ? .dim : .bad))
    }

    private func draw(_ question: Question, _ canvas: Canvas, row: Int) {
        let field = fields[question.rawValue]
        canvas.draw(question.label, column: 1, row: row, width: 10, Style(.key))
        let column = RuleForm.labelColumnCount
        let part = canvas.part(
            column: column, row: row, columns: canvas.columns - column - 1, rows: 1)
        if field.text.isEmpty {
            part.draw(question.hint, column: 0, row: 0, width: part.columns, Style(.dim))
        }
        if question == focused {
            field.draw(into: part, column: 0, row: 0)
            part.tint(row: 0, .match)
        } else if !field.text.isEmpty {
            part.draw(field.text, column: 0, row: 0, width: part.columns)
        }
    }

    private func drawCount(_ canvas: Canvas, row: Int) {
        let column = RuleForm.labelColumnCount
        let words = error.map { "column \($0.column): \($0.message)" } ?? count.captured
        canvas.draw(
            words, column: column, row: row, width: canvas.columns - column - 1,
            Style(error == nil ? .good : .bad))
    }
}

extension RowCount {
    /// How many captured exchanges match a rule's filter.
    fileprivate var captured: String {
        switch self {
        case .unknown: "counting…"
        case .counting(let count), .atLeast(let count):
            "would have matched \(Quantity.count(count, "exchange", isGrouped: true)) or more"
        case .exactly(let count):
            "would have matched \(Quantity.count(count, "exchange", isGrouped: true))"
        }
    }
}

struct RuleDraft: Sendable, Hashable {
    /// Why it is not a valid rule yet, as a message for users.
    struct Problem: Error { let words: String }

    var name = ""
    /// The filter; empty for all exchanges.
    var filter = ""
    /// One action on requests, in short form or as a table; empty for none.
    var request = ""
    /// One action on responses; empty for none.
    var response = ""

    var hasActions: Bool { !request.isEmpty || !response.isEmpty }

    init() {}

    init(for row: ExchangeRow) {
        name = [row.method, row.path].compactMap { $0 }.joined(separator: " ")
        let terms = [("host", row.host), ("method", row.method), ("path", row.path)]
        filter = terms.compactMap { field, value in
            value.map { "\(field)=\(FilterText.quoted($0))" }
        }.joined(separator: " ")
    }

    /// The rule that holds requests like one. Its name has the host only if a rule for another host
    /// has the same name otherwise.
    init(breakingOn row: ExchangeRow, beside rules: [RuleFacts]) {
        self.init(for: row)
        request = "hold"
        name = "break on \(name)"
        let filter = filter
        let isTaken = rules.contains { [name] in $0.name == name && $0.filter != filter }
        if isTaken, let host = row.host { name += " at \(host)" }
    }

    /// The lines for the file; their meaning is not checked.
    func lines() throws(Problem) -> String {
        guard !name.isEmpty else { throw Problem(words: "a rule needs a name") }
        let actions = [NewRule.Action(.request, request), .init(.response, response)]
        let rule = NewRule(
            name, when: filter.isEmpty ? nil : filter, actions: actions.filter { !$0.text.isEmpty })
        do throws(NewRule.Mistakes) {
            return try rule.uncheckedLines()
        } catch {
            throw Problem(words: error.all.map(\.message).joined(separator: "; "))
        }
    }

    /// The lines with examples of actions, for an editor.
    var skeleton: String {
        RuleShortForm.rule(name, when: filter.isEmpty ? nil : filter, actions: []) + """
            request = [
              # { hold = true },
              # { set = "header:X-Env", value = "staging" },
              # { send_to = "https://staging.example.com", host = "keep" },
              # { serve = "/srv/www", strip = "/static" },
              # { block = 403 },
            ]
            response = [
              # { hold = true },
              # { set = "json:feature.beta", value = true },
              # { replace = "body", match = 'a', with = "b" },
            ]

            """
    }
}

extension FormDialog {
    /// Asks where to save the body of a response, and for the name of the rule that serves it.
    static func mapping(_ row: ExchangeRow) -> FormDialog {
        let id = row.id
        return FormDialog(
            "Serve the response from a file",
            [
                .text("File", FileNames.response(row)),
                .text("Rule", "map \(row.path ?? "")"),
                .choice("In", ["the rules file", "the daemon's memory"]),
            ], verb: "serves it"
        ) { answers throws(Refusal) in
            .become(
                RuleMapScreen(
                    RuleMapOrder(
                        id: id, file: NewFile.expanded(try answers.file(0)),
                        rule: answers.text(1), isTemporary: answers.choice(2) == 1)))
        }
    }
}

/// Saves a body and adds the rule that serves it; offers to change the daemon's memory if the rules
/// file cannot be written.
struct RuleMapScreen: ProblemShowing {
    typealias Answer = Never

    enum News: Sendable {
        case saved(Notice)
        case refused(RuleRefusal)
        /// The rule is to be added in the daemon's memory.
        case temporary
    }

    let title = "Serving from a file"
    let presentation = Presentation.box(Size(columns: 70, rows: 2))
    private var order: RuleMapOrder
    private var isStarted = false
    var problem: String?

    init(_ order: RuleMapOrder) { self.order = order }

    mutating func appear(_ context: Context) -> [Effect] {
        guard !isStarted else { return [] }
        isStarted = true
        return [.work(RuleWorks.map(order))]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        action == .close || action == .cancel ? [.close] : []
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .saved(let notice): return [.close, .notify(notice)]
        case .refused(let refusal):
            problem = refusal.description
            guard refusal.reason == .file, context.status.isDaemonRunning == true else { return [] }
            return [
                .notify(.problem(refusal.description)),
                .ask(ChoiceScreen.offeringTemporary(News.temporary)) { $0 },
            ]
        case .temporary:
            problem = nil
            order.isTemporary = true
            return [.work(RuleWorks.map(order))]
        }
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(order.file, column: 1, row: 0, width: canvas.columns - 2)
        canvas.draw(
            problem ?? "saving…", column: 1, row: 1, width: canvas.columns - 2,
            Style(problem == nil ? .dim : .bad))
    }
}

extension ChoiceScreen {
    /// Asks whether to change the rules in the daemon's memory if the file cannot be changed.
    static func offeringTemporary(_ answer: Chosen) -> ChoiceScreen {
        ChoiceScreen(
            "The file was not written",
            [Choice(key: Key("t"), name: "change them until the daemon ends", answer: answer)])
    }
}
