internal import ProxydPresentation

struct ChoiceScreen<Chosen: Sendable>: ScreenModel {
    typealias Answer = Chosen
    typealias News = Never

    struct Choice: Sendable {
        let key: Key?
        let name: String
        let answer: Chosen
    }

    let title: String
    private let choices: [Choice]
    private var selected: Int

    init(_ title: String, _ choices: [Choice], selected: Int = 0) {
        self.title = title
        self.choices = choices
        self.selected = max(0, min(choices.count - 1, selected))
    }

    /// Asks a question with two answers; Enter means no.
    static func confirming(
        _ title: String, yes: (name: String, answer: Chosen), no: (name: String, answer: Chosen)
    ) -> ChoiceScreen {
        ChoiceScreen(
            title,
            [
                Choice(key: Key("y"), name: yes.name, answer: yes.answer),
                Choice(key: Key("n"), name: no.name, answer: no.answer),
            ], selected: 1)
    }

    var presentation: Presentation { .box(Size(columns: 40, rows: choices.count)) }
    var scopes: Set<Action.Scope> { [.typing] }
    var hints: [KeyHint] { [KeyHint(.enter, "choose"), .back] }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(let key): return press(key)
        case .mouse(let mouse) where mouse.kind == .press:
            guard choices.indices.contains(mouse.position.row) else { return [] }
            return [.answer(choices[mouse.position.row].answer)]
        default: return []
        }
    }

    private mutating func press(_ key: Key) -> [Effect] {
        if let choice = choices.first(where: { $0.key == key }) { return [.answer(choice.answer)] }
        switch key {
        case .escape, Key("q"), .control("c"): return [.close]
        case .enter: return choices.isEmpty ? [.close] : [.answer(choices[selected].answer)]
        case Key(.up), Key("k"): selected = max(0, selected - 1)
        case Key(.down), Key("j"): selected = min(max(0, choices.count - 1), selected + 1)
        default: break
        }
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        for (row, choice) in choices.enumerated() {
            let key = choice.key?.description ?? ""
            canvas.draw(key, column: 1, row: row, width: 4, Style(.accent).adding(.bold))
            canvas.draw(choice.name, column: 6, row: row, width: canvas.columns - 7)
            if row == selected { canvas.tint(row: row, .selection) }
        }
    }
}

/// The command palette: every action that applies, by name; typing narrows them.
struct PaletteScreen: ScreenModel {
    typealias News = Never
    typealias Answer = Never

    let title = "Actions"
    let scopes: Set<Action.Scope> = [.typing]
    private let actions: [Action]
    private var field = TextField()
    private var selected = 0

    init(of screen: any ScreenModel) {
        let all = ActionTable.actions(in: screen.scopes).filter { $0.id != .palette }
        actions =
            all.filter { !$0.isGeneral } + screen.actionsBeside + all.filter { $0.isGeneral }
    }

    var hints: [KeyHint] { [KeyHint(.enter, "run"), .back] }
    var presentation: Presentation { .box(Size(columns: 74, rows: 16)) }

    private var found: [Action] {
        let scored = actions.enumerated().compactMap { offset, action in
            PaletteScreen.distance(field.text, action).map { (offset, $0, action) }
        }
        return scored.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.2)
    }

    /// How well an action matches (lower is better), or nil if it does not. Words that begin as
    /// typed come before letters that are only somewhere in it.
    private static func distance(_ typed: String, _ action: Action) -> Int? {
        let wanted = words(typed)
        let name = words(action.id.name)
        let all = name + words(action.help)
        if wanted.allSatisfy({ word in name.contains { $0.hasPrefix(word) } }) { return 0 }
        if wanted.allSatisfy({ word in all.contains { $0.hasPrefix(word) } }) { return 1 }
        let byName = FuzzyMatch.distance(typed, action.id.name).map { $0 + 2 }
        let byHelp = FuzzyMatch.distance(typed, action.help).map { $0 + 4 }
        return [byName, byHelp].compactMap { $0 }.min()
    }

    private static func words(_ text: String) -> [Substring] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .key(let key) = event else {
            if case .paste(let text) = event { field.insert(text) }
            return []
        }
        switch key {
        case .escape, .control("c"): return [.close]
        case .enter:
            let found = found
            guard found.indices.contains(selected) else { return [.close] }
            return [.perform(found[selected].id)]
        case Key(.up), .control("p"): selected = max(0, selected - 1)
        case Key(.down), .control("n"): selected = min(max(0, found.count - 1), selected + 1)
        default:
            if field.handle(key) { selected = 0 }
        }
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(":", row: 0, Style(.accent).adding(.bold))
        field.draw(into: canvas, column: 1, row: 0)
        let room = max(0, canvas.rows - 1)
        let found = found
        let start = max(0, selected - room + 1)
        for (offset, action) in found.dropFirst(start).prefix(room).enumerated() {
            let row = offset + 1
            canvas.draw(action.id.name, column: 1, row: row, width: 20, Style(.accent))
            canvas.draw(action.help, column: 22, row: row, width: canvas.columns - 34)
            let keys = action.keys.prefix(2).map(\.description).joined(separator: " ")
            canvas.draw(
                keys, column: canvas.columns - 11, row: row, width: 10, isRight: true, Style(.dim))
            if start + offset == selected { canvas.tint(row: row, .selection) }
        }
        if found.isEmpty { canvas.draw("no such action", column: 1, row: 1, Style(.dim)) }
    }
}

/// How well typed letters match a name: all of them in order, with few other letters in between.
enum FuzzyMatch {
    /// The distance (lower is better), or nil if the name does not match.
    static func distance(_ typed: String, _ name: String) -> Int? {
        let wanted = Array(typed.lowercased().filter { $0 != " " })
        let letters = Array(name.lowercased())
        guard !wanted.isEmpty else { return 0 }
        var position = 0
        var distance = 0
        var last: Int?
        for letter in wanted {
            guard let found = letters[position...].firstIndex(of: letter) else { return nil }
            distance += last.map { found - $0 - 1 } ?? found
            last = found
            position = found + 1
        }
        return distance * 4 + letters.count / 8
    }
}
