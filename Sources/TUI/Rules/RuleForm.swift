internal import ProxydPresentation
internal import ProxydFilter

/// Asks for a new rule: its name, its filter and its actions. Captured exchanges that match the
/// filter are counted during typing.
struct RuleForm: ScreenModel {
    /// The answer to the screen of rules.
    enum Answer: Sendable {
        /// The typed draft and the rule's lines, or nil if the rule is to be written in the editor.
        case typed(RuleDraft, lines: String?)
        /// The user cancelled.
        case cancelled
    }

    enum News: Sendable {
        /// The number of matching exchanges, intermediate or final.
        case counting(Int64)
        case counted(Int64)
    }

    /// The text fields, from top to bottom.
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
            case .request: "set header:X-Env=staging   block 403   send_to https://h.test"
            case .response: "set status=503   set json:a.b=1   delay 200"
            }
        }
    }

    private static let columnCount = 76
    private static let labelColumnCount = 11

    let title = "New rule"
    let places: Set<Action.Place> = [.typing]
    private var fields: [TextField]
    private var focused: Question
    private var error: FilterError?
    private var count = ListScreen.RowCount.unknown
    /// Why the rule is not accepted.
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

    /// Parses the current filter and starts counting its matches.
    private mutating func check(_ context: Context) -> [Effect] {
        count = .unknown
        do throws(FilterError) {
            let filter = try Filter.parse(
                text(.filter), now: context.now, timeZone: context.clock.timeZone)
            error = nil
            return [.work(RuleWorks.count(filter))]
        } catch {
            self.error = error
            return [.cancelWork(slot: RuleWorks.countSlot)]
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

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .counting(let found): count = .counting(found)
        case .counted(let found): count = .exactly(found)
        }
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

extension ListScreen.RowCount {
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
