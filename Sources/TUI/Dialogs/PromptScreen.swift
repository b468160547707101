/// Asks for a line of text.
struct PromptScreen: ScreenModel {
    let title: String
    let places: Set<Action.Place> = [.typing]
    private var field: TextField
    private let answer: @Sendable (String) -> any Sendable

    /// `answer` makes what the screen below is told of what was typed.
    init(_ title: String, _ text: String, answer: @escaping @Sendable (String) -> any Sendable) {
        self.title = title
        field = TextField(text)
        self.answer = answer
    }

    var hints: [KeyHint] { [KeyHint(.enter, "keep it"), .back] }
    var presentation: Presentation { .box(Size(columns: 60, rows: 1)) }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(.escape), .key(.control("c")): return [.close]
        case .key(.enter): return [.answer(answer(field.text))]
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
