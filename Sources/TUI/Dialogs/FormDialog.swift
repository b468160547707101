internal import ProxydFilter
internal import ProxydPresentation

/// Asks several questions together: lines of text and choices. The next screen replaces it.
struct FormDialog: ScreenModel {
    typealias News = Never
    /// A filter for the list below, chosen on the screen that replaces it.
    typealias Answer = Filter

    struct Question: Sendable {
        enum Kind: Sendable {
            case text(TextField)
            case choice([String], selected: Int)
        }

        let label: String
        var kind: Kind

        static func text(_ label: String, _ text: String) -> Question {
            Question(label: label, kind: .text(TextField(text)))
        }

        static func choice(_ label: String, _ names: [String], selected: Int = 0) -> Question {
            Question(label: label, kind: .choice(names, selected: selected))
        }
    }

    struct Answers: Sendable {
        fileprivate let questions: [Question]

        /// The text of a question; empty if it is not a text question.
        func text(_ index: Int) -> String {
            guard questions.indices.contains(index), case .text(let field) = questions[index].kind
            else { return "" }
            return field.text
        }

        func file(_ index: Int) throws(Refusal) -> String {
            guard !text(index).isEmpty else { throw Refusal(words: "a file needs a name") }
            return text(index)
        }

        func choice(_ index: Int) -> Int {
            guard questions.indices.contains(index),
                case .choice(_, let selected) = questions[index].kind
            else { return 0 }
            return selected
        }
    }

    struct Refusal: Error { let words: String }

    private static let columnCount = 66

    let title: String
    let scopes: Set<Action.Scope> = [.typing]
    private var questions: [Question]
    private var focused: Int
    /// Adapts other answers after one was changed.
    private let adapt: @Sendable (inout [Question], _ changed: Int) -> Void
    private let finish: @Sendable (Answers) throws(Refusal) -> Effect

    /// What Enter does, such as `exports`.
    private let verb: String

    /// Creates a dialog. `finish` creates the screen that replaces it; `verb` says what that does.
    init(
        _ title: String, _ questions: [Question], focused: Int = 0, verb: String,
        adapt: @escaping @Sendable (inout [Question], _ changed: Int) -> Void = { _, _ in },
        finish: @escaping @Sendable (Answers) throws(Refusal) -> Effect
    ) {
        self.title = title
        self.questions = questions
        self.focused = focused
        self.verb = verb
        self.adapt = adapt
        self.finish = finish
    }

    var hints: [KeyHint] { [KeyHint(.enter, verb), KeyHint(.tab, "next line"), .back] }

    var presentation: Presentation {
        .box(Size(columns: FormDialog.columnCount, rows: questions.count + 2))
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(let key): return press(key)
        case .paste(let text): change { $0.insert(text) }
        case .mouse(let mouse) where mouse.kind == .press:
            guard questions.indices.contains(mouse.position.row) else { return [] }
            if focused == mouse.position.row { choose(1) }
            focused = mouse.position.row
        case .mouse, .resize: break
        }
        return []
    }

    private mutating func press(_ key: Key) -> [Effect] {
        switch key {
        case .escape, .control("c"): return [.close]
        case .enter:
            do throws(Refusal) {
                return [try finish(Answers(questions: questions))]
            } catch {
                return [.notify(.problem(error.words))]
            }
        case .tab, Key(.down), .control("n"): focus(1)
        case .backtab, Key(.up), .control("p"): focus(-1)
        default:
            guard case .choice = questions[focused].kind else {
                change { _ = $0.handle(key) }
                return []
            }
            switch key {
            case Key(.left), Key("h"): choose(-1)
            case Key(.right), Key("l"), .space: choose(1)
            default: break
            }
        }
        return []
    }

    private mutating func focus(_ step: Int) {
        focused = (focused + step + questions.count) % questions.count
    }

    private mutating func choose(_ step: Int) {
        guard case .choice(let names, let selected) = questions[focused].kind, !names.isEmpty else {
            return
        }
        questions[focused].kind = .choice(
            names, selected: (selected + step + names.count) % names.count)
        adapt(&questions, focused)
    }

    private mutating func change(_ body: (inout TextField) -> Void) {
        guard case .text(var field) = questions[focused].kind else { return }
        body(&field)
        questions[focused].kind = .text(field)
        adapt(&questions, focused)
    }

    func draw(into canvas: Canvas, _ context: Context) {
        for (row, question) in questions.enumerated() {
            let isFocused = row == focused
            canvas.draw(question.label, column: 1, row: row, width: 12, Style(.key))
            let part = canvas.part(column: 14, row: row, columns: canvas.columns - 15, rows: 1)
            switch question.kind {
            case .text(let field) where isFocused:
                field.draw(into: part, column: 0, row: 0)
                part.tint(row: 0, .match)
            case .text(let field): part.draw(field.text, column: 0, row: 0, width: part.columns)
            case .choice(let names, let selected):
                part.draw(FormDialog.line(names, selected), row: 0)
                if isFocused { part.tint(row: 0, .selection) }
            }
        }
        canvas.draw(
            "Enter \(verb), Tab next line, ← → choose, Esc goes back", column: 1,
            row: questions.count + 1, width: canvas.columns - 2, Style(.dim))
    }

    private static func line(_ names: [String], _ selected: Int) -> StyledText {
        var line = StyledText()
        for (index, name) in names.enumerated() {
            let isChosen = index == selected
            line.append(
                isChosen ? "[\(name)] " : " \(name)  ",
                isChosen ? Style(.accent).adding(.bold) : Style(.dim))
        }
        return line
    }
}
