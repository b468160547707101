/// Asks for a line of text.
struct PromptScreen: ScreenModel {
    typealias News = Never
    /// The text that was typed.
    typealias Answer = String

    let title: String
    let places: Set<Action.Place> = [.typing]
    private var field: TextField

    init(_ title: String, _ text: String) {
        self.title = title
        field = TextField(text)
    }

    var hints: [KeyHint] { [KeyHint(.enter, "save"), .back] }
    var presentation: Presentation { .box(Size(columns: 60, rows: 1)) }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(.escape), .key(.control("c")): return [.close]
        case .key(.enter): return [.answer(field.text)]
        case .key(let key): _ = field.handle(key)
        case .paste(let text): field.insert(text)
        case .mouse, .resize: break
        }
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        field.draw(into: canvas, column: 0, row: 0)
    }
}
