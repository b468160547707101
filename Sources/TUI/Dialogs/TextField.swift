internal import ProxydFilter
internal import ProxydPresentation
internal import ProxydTerminalText

/// A line of text being typed, with the usual editing keys.
struct TextField: Sendable, Hashable {
    private(set) var characters: [Character]
    /// The index at which the next character is inserted.
    private(set) var cursor: Int

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }
    var head: String { String(characters[..<cursor]) }

    mutating func set(_ text: String) { self = TextField(text) }

    mutating func replace(lastCount: Int, by text: String) {
        let start = max(0, cursor - lastCount)
        characters.replaceSubrange(start..<cursor, with: Array(text))
        cursor = start + text.count
    }

    mutating func insert(_ text: String) {
        // A pasted line break is neither Enter nor part of the text.
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        let added = Array(line)
        characters.insert(contentsOf: added, at: cursor)
        cursor += added.count
    }

    /// Handles a key; returns false if it has no meaning for text.
    mutating func handle(_ key: Key) -> Bool {
        switch key {
        case Key(.left), .control("b"): cursor = max(0, cursor - 1)
        case Key(.right), .control("f"): cursor = min(characters.count, cursor + 1)
        case Key(.home), .control("a"): cursor = 0
        case Key(.end), .control("e"): cursor = characters.count
        case Key(.left, .control), .alt("b"): cursor = wordStart
        case Key(.right, .control), .alt("f"): cursor = wordEnd
        case Key(.backspace), .control("h"): delete(max(0, cursor - 1)..<cursor)
        case Key(.delete), .control("d"): delete(cursor..<min(characters.count, cursor + 1))
        case .control("w"), Key(.backspace, .alt): delete(wordStart..<cursor)
        case .control("k"): delete(cursor..<characters.count)
        case .control("u"): delete(0..<characters.count)
        default:
            guard let character = key.typed else { return false }
            insert(String(character))
        }
        return true
    }

    /// What an event means to a field.
    enum Outcome: Sendable, Hashable {
        case cancelled, accepted
        /// The text or the cursor changed, or may have.
        case typed
        case other
    }

    mutating func take(_ event: InputEvent) -> Outcome {
        switch event {
        case .key(.escape), .key(.control("c")): return .cancelled
        case .key(.enter): return .accepted
        case .key(let key): return handle(key) ? .typed : .other
        case .paste(let text):
            insert(text)
            return .typed
        case .mouse, .resize: return .other
        }
    }

    private mutating func delete(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private var wordStart: Int {
        var index = cursor
        while index > 0, characters[index - 1] == " " { index -= 1 }
        while index > 0, characters[index - 1] != " " { index -= 1 }
        return index
    }

    private var wordEnd: Int {
        var index = cursor
        while index < characters.count, characters[index] == " " { index += 1 }
        while index < characters.count, characters[index] != " " { index += 1 }
        return index
    }

    /// Draws the field, scrolled so that the cursor is visible.
    func draw(into canvas: Canvas, column: Int, row: Int, _ style: Style = .plain) {
        let room = max(1, canvas.columns - column)
        let start = firstSeen(room)
        let part = canvas.part(column: column)
        // No character is narrower than a column, so only the visible part of a long paste is
        // examined.
        let seen = characters[start..<min(characters.count, cursor + room)]
        part.draw(String(seen), row: row, style)
        part.placeCursor(column: width(start..<cursor), row: row)
    }

    /// Draws an error below the place in the text that it is about.
    func draw(_ error: FilterError, into canvas: Canvas, column: Int, row: Int) {
        // The column counts scalars; the text before may contain wide characters.
        let head = String(text.unicodeScalars.prefix(error.column - 1))
        let place = column + TerminalText.displayWidth(TerminalText.sanitize(head))
        let room = canvas.columns - TerminalText.displayWidth(error.message) - 2
        canvas.draw("^ \(error.message)", column: min(place, max(1, room)), row: row, Style(.bad))
    }

    /// The first character from which all up to the cursor, and the cursor itself, fit.
    private func firstSeen(_ room: Int) -> Int {
        var start = cursor
        var columns = 0
        while start > 0 {
            columns += width(start - 1..<start)
            guard columns < room else { break }
            start -= 1
        }
        return start
    }

    private func width(_ range: Range<Int>) -> Int {
        TerminalText.displayWidth(TerminalText.sanitize(String(characters[range])))
    }
}

struct PromptScreen: ScreenModel {
    typealias News = Never
    typealias Answer = String

    let title: String
    let scopes: Set<Action.Scope> = [.typing]
    private var field: TextField

    init(_ title: String, _ text: String) {
        self.title = title
        field = TextField(text)
    }

    var hints: [KeyHint] { [KeyHint(.enter, "save"), .back] }
    var presentation: Presentation { .box(Size(columns: 60, rows: 1)) }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch field.take(event) {
        case .cancelled: [.close]
        case .accepted: [.answer(field.text)]
        case .typed, .other: []
        }
    }

    func draw(into canvas: Canvas, _ context: Context) {
        field.draw(into: canvas, column: 0, row: 0)
    }
}
