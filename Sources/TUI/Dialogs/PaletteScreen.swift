internal import ProxydPresentation

/// The command palette: every action that applies, by name; typing narrows them.
struct PaletteScreen: ScreenModel {
    typealias News = Never
    typealias Answer = Never

    let title = "Actions"
    let places: Set<Action.Place> = [.typing]
    private let actions: [Action]
    private var field = TextField()
    private var selected = 0

    init(places: Set<Action.Place>) {
        actions = ActionTable.actions(in: places).filter { $0.id != .palette }
    }

    var hints: [KeyHint] { [KeyHint(.enter, "run"), .back] }
    var presentation: Presentation { .box(Size(columns: 74, rows: 16)) }

    private var found: [Action] {
        let scored = actions.enumerated().compactMap { offset, action in
            PaletteScreen.distance(field.text, action).map { (offset, $0, action) }
        }
        return scored.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.2)
    }

    private static func distance(_ typed: String, _ action: Action) -> Int? {
        let byName = FuzzyMatch.distance(typed, action.id.name)
        let byHelp = FuzzyMatch.distance(typed, action.help).map { $0 + 2 }
        return [byName, byHelp].compactMap { $0 }.min()
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
