/// The keys that apply on a screen.
struct HelpScreen: ScreenModel {
    let title = "Keys"
    private let actions: [Action]
    private var scroll = 0

    init(places: Set<Action.Place>) {
        let general: Set<Action.Place> = [.everywhere, .moving]
        let all = ActionTable.actions(in: places)
        actions =
            all.filter { $0.places.isDisjoint(with: general) }
            + all.filter { !$0.places.isDisjoint(with: general) }
    }

    var presentation: Presentation { .box(Size(columns: 74, rows: actions.count)) }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        let page = max(1, context.size.rows - 1)
        switch action {
        case .up: scroll -= 1
        case .down: scroll += 1
        case .pageUp, .halfPageUp: scroll -= page
        case .pageDown, .halfPageDown: scroll += page
        case .first: scroll = 0
        case .last: scroll = actions.count
        default: return []
        }
        scroll = max(0, min(scroll, actions.count - context.size.rows))
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        for (row, action) in actions.dropFirst(scroll).prefix(canvas.rows).enumerated() {
            let keys = action.keys.map(\.description).joined(separator: " ")
            canvas.draw(keys, column: 1, row: row, width: 20, Style(.accent).adding(.bold))
            canvas.draw(action.help, column: 22, row: row, width: canvas.columns - 23)
        }
    }
}
