internal import ProxydPresentation

/// Asks the user to choose one of a few things.
struct ChoiceScreen<Chosen: Sendable>: ScreenModel {
    typealias Answer = Chosen
    typealias News = Never

    struct Choice: Sendable {
        let key: Key?
        let name: String
        /// The answer for the screen below.
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

    var presentation: Presentation { .box(Size(columns: 40, rows: choices.count)) }
    var places: Set<Action.Place> { [.typing] }
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
