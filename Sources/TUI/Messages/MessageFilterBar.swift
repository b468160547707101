internal import ProxydPresentation
internal import ProxydFilter
internal import ProxydTerminalText

/// The line in which a message filter is typed, with the position of errors.
struct MessageFilterBar: ScreenModel {
    typealias News = Never
    typealias Answer = MessageFilter

    let title = "Message filter"
    let places: Set<Action.Place> = [.typing]
    let presentation = Presentation.bottom(rows: 2)

    private var field: TextField
    private var error: FilterError?

    init(text: String) { field = TextField(text) }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(.escape), .key(.control("c")), .key(.control("g")): return [.close]
        case .key(.enter): return apply()
        case .key(let key): _ = field.handle(key)
        case .paste(let text): field.insert(text)
        case .mouse, .resize: return []
        }
        check()
        return []
    }

    private mutating func check() {
        do throws(FilterError) {
            _ = try MessageFilter.parse(field.text)
            error = nil
        } catch {
            self.error = error
        }
    }

    private mutating func apply() -> [Effect] {
        do throws(FilterError) {
            return [.answer(try MessageFilter.parse(field.text))]
        } catch {
            self.error = error
            return []
        }
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let column = canvas.draw("f ", row: 0, Style(.accent).adding(.bold))
        field.draw(into: canvas, column: column, row: 0)
        guard let error else {
            canvas.draw(
                " words, kind=text dir=to_client bytes>1k event= code=  Enter applies  Esc back",
                row: 1, Style(.dim))
            return
        }
        // The column counts scalars; the text before may contain wide characters.
        let head = String(field.text.unicodeScalars.prefix(error.column - 1))
        let place = column + TerminalText.displayWidth(TerminalText.sanitize(head))
        let room = canvas.columns - TerminalText.displayWidth(error.message) - 2
        canvas.draw("^ \(error.message)", column: min(place, max(1, room)), row: 1, Style(.bad))
    }
}
