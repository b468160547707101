internal import ProxydFilter
internal import ProxydPresentation

/// The keys of a screen and its symbols' meaning; searched with `/`, never truncated.
struct HelpScreen: ScreenModel {
    typealias News = Never
    typealias Answer = Never

    private static let columnCount = 74

    let title = "Keys"
    private let entries: [HelpEntry]
    private var scroll = 0
    private var typing: TextField?
    /// Only matching entries are shown; if empty, all are.
    private var needle = ""
    /// The number of rows that all entries need, the foot included.
    private let rowCount: Int
    private var lines: [StyledText] = []
    /// What `lines` were made for.
    private var layout: Layout?

    private struct Layout: Hashable {
        let width: Int
        let needle: String
    }

    init(of screen: any ScreenModel) {
        entries = HelpEntry.all(of: screen)
        rowCount = HelpEntry.lines(of: entries, width: HelpScreen.columnCount - 2).count + 1
    }

    var scopes: Set<Action.Scope> { typing == nil ? [.everywhere, .moving, .help] : [.typing] }
    var hints: [KeyHint] { [KeyHint(.enter, "keep these"), .back] }

    /// As tall as all entries need; with less space it scrolls.
    var presentation: Presentation { .box(Size(columns: HelpScreen.columnCount, rows: rowCount)) }

    /// Makes the lines again if the width or the search text has changed.
    private mutating func layOut(_ columns: Int) {
        let wanted = Layout(width: columns - 2, needle: needle)
        guard layout != wanted else { return }
        layout = wanted
        lines = HelpEntry.lines(of: HelpEntry.found(needle, in: entries), width: wanted.width)
    }

    // MARK: Keys

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        let page = max(1, context.size.rows - 2)
        switch Movement(action, page: page, half: page) {
        case .lines(let step)?, .rows(let step)?: scroll += step
        case .first?: scroll = 0
        case .last?: scroll = .max / 2
        case nil: break
        }
        switch action {
        case .searchHelp: typing = TextField()
        case .close where !needle.isEmpty:
            needle = ""
            settle(context)
            // A non-empty result says that something was closed.
            return [.cancelWork(slot: "search")]
        default: break
        }
        settle(context)
        return []
    }

    mutating func appear(_ context: Context) -> [Effect] {
        settle(context)
        return []
    }

    private mutating func settle(_ context: Context) {
        layOut(context.size.columns)
        let room = max(1, context.size.rows - 1)
        scroll = max(0, min(scroll, lines.count - room))
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        if case .mouse(let mouse) = event { return turn(mouse, context) }
        guard var field = typing else { return nil }
        switch field.take(event) {
        case .cancelled: (typing, needle) = (nil, "")
        case .accepted: typing = nil
        case .typed, .other: (typing, needle, scroll) = (field, field.text, 0)
        }
        settle(context)
        return []
    }

    private mutating func turn(_ mouse: MouseEvent, _ context: Context) -> [Effect] {
        scroll += Movement.wheel(mouse) ?? 0
        settle(context)
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        let room = max(1, canvas.rows - 1)
        for (row, line) in lines.dropFirst(scroll).prefix(room).enumerated() {
            canvas.draw(line, column: 1, row: row)
        }
        if lines.isEmpty { canvas.draw("nothing found", column: 1, row: 0, Style(.dim)) }
        drawFoot(lines.count, room, canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private func drawFoot(_ count: Int, _ room: Int, _ canvas: Canvas) {
        var place = ""
        if count > room { place = "\(scroll + 1)-\(min(count, scroll + room)) of \(count) " }
        canvas.draw(place, column: canvas.columns - place.count, row: 0, Style(.dim))
        let left = canvas.part(columns: canvas.columns - place.count)
        if let typing {
            let column = left.draw("/", column: 1, row: 0, Style(.accent).adding(.bold))
            typing.draw(into: left, column: column, row: 0)
        } else if needle.isEmpty {
            left.draw("/ search", column: 1, row: 0, Style(.dim))
        } else {
            left.draw("/\(needle)  Esc: all", column: 1, row: 0, Style(.notice))
        }
    }
}

/// A line of the help: keys or symbols, and their meaning.
struct HelpEntry: Sendable, Hashable {
    /// The width of the key column if there is space beside it.
    private static let keyColumnCount = 20
    /// On narrower screens, the meaning is below the keys.
    private static let wideColumnCount = 46

    let section: String
    let keys: String
    let words: String

    static func all(of screen: any ScreenModel) -> [HelpEntry] {
        let scopes = screen.scopes
        let actions = ActionTable.actions(in: scopes)
        var entries = actions.filter { !$0.isGeneral }.map { HelpEntry("Here", $0) }
        entries += screen.actionsBeside.map { HelpEntry("In the other pane", $0) }
        entries += actions.filter { $0.scopes.contains(.moving) }
            .map { HelpEntry("Moving around", $0) }
        entries += actions.filter { $0.scopes.contains(.everywhere) }
            .map { HelpEntry("Everywhere", $0) }
        if scopes.contains(.list) {
            entries += RowMarks.meanings.map {
                HelpEntry(section: "Signs before a row", keys: $0.0, words: $0.1)
            }
            entries += FilterManual.sections.flatMap { section in
                section.entries.map { HelpEntry("Filter: \(section.title)", $0) }
            }
        }
        return entries
    }

    private init(_ section: String, _ entry: FilterEntry) {
        self.section = section
        keys = entry.form
        words = entry.meaning + (entry.examples.first.map { " (\($0.filter))" } ?? "")
    }

    private init(_ section: String, _ action: Action) {
        self.section = section
        keys = action.keys.map(\.description).joined(separator: " ")
        words = action.help
    }

    private init(section: String, keys: String, words: String) {
        self.section = section
        self.keys = keys
        self.words = words
    }

    /// The entries that contain all words of a text, ignoring case.
    static func found(_ text: String, in entries: [HelpEntry]) -> [HelpEntry] {
        let wanted = text.lowercased().split(separator: " ")
        return entries.filter { entry in
            let words = "\(entry.keys) \(entry.words) \(entry.section)".lowercased()
            return wanted.allSatisfy { words.contains($0) }
        }
    }

    static func lines(of entries: [HelpEntry], width: Int) -> [StyledText] {
        var section: String?
        return entries.flatMap { entry -> [StyledText] in
            let isNew = entry.section != section
            section = entry.section
            let headings = isNew ? broken(entry.section, max(1, width)) : []
            return headings.map { StyledText($0, Style(.heading).adding(.bold)) }
                + entry.lines(width: width)
        }
    }

    private func lines(width: Int) -> [StyledText] {
        let style = Style(.accent).adding(.bold)
        guard width >= HelpEntry.wideColumnCount else {
            let keys = HelpEntry.broken(keys, width).map { StyledText($0, style) }
            let words = HelpEntry.broken(words, max(1, width - 2))
            return keys + words.map { StyledText("  " + $0) }
        }
        let column = HelpEntry.keyColumnCount
        let keys = HelpEntry.broken(keys, column)
        let words = HelpEntry.broken(words, width - column - 1)
        return (0..<max(keys.count, words.count)).map { index in
            let key = index < keys.count ? keys[index] : ""
            let padding = String(repeating: " ", count: column + 1 - StyledText(key).columnCount)
            return StyledText(key, style) + StyledText(padding)
                + StyledText(index < words.count ? words[index] : "")
        }
    }

    /// Wraps a text, between words where possible.
    private static func broken(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var rest = String(word)
            if !line.isEmpty,
                StyledText(line).columnCount + 1 + StyledText(rest).columnCount <= width
            {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while StyledText(rest).columnCount > width, rest.count > 1 {
                lines.append(String(rest.prefix(max(1, width))))
                rest = String(rest.dropFirst(max(1, width)))
            }
            line = rest
        }
        return lines + [line]
    }
}
