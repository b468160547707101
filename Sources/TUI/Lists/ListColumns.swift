internal import ProxydCaptureModel
internal import ProxydPresentation

struct ListColumns: Sendable {
    struct Slot: Sendable, Hashable {
        let column: Column
        let start: Int
        let width: Int
    }

    /// The width that the path keeps before other columns are dropped.
    private static let pathWidthMin = 12

    let slots: [Slot]

    /// The width of a name such as `ci-17:4711`.
    private static let storeNameWidth = 20

    /// - Parameters:
    ///   - hasStoreNames: Whether exchanges are named `STORE:NUMBER`.
    ///   - hostWidth: The width of the longest host; the path gets the rest of its column.
    init(
        width: Int, choice: ColumnChoice = .standard, hasStoreNames: Bool = false,
        hostWidth: Int? = nil
    ) {
        let own = { (column: Column) in
            column == .id && hasStoreNames ? ListColumns.storeNameWidth : column.width(in: width)
        }
        let columns = ListColumns.fitting(width, choice, own)
        let needed = { (column: Column) in
            guard column == .host, let hostWidth else { return own(column) }
            return min(own(column), max(hostWidth, Column.hostWidthMin))
        }
        let others = columns.reduce(0) { $0 + ($1 == .path ? 0 : needed($1) + 1) }
        var slots: [Slot] = []
        var start = 0
        for column in columns {
            // The path takes the remaining space.
            let taken = column == .path ? max(own(column), width - others) : needed(column)
            slots.append(Slot(column: column, start: start, width: taken))
            start += taken + 1
        }
        self.slots = slots
    }

    /// The wanted columns that fit beside the path.
    private static func fitting(
        _ width: Int, _ choice: ColumnChoice, _ own: @escaping (Column) -> Int
    ) -> [Column] {
        let isRoomy = { (entry: ColumnChoice.Entry) in width >= entry.column.screenWidthMin }
        var entries = choice.entries.filter { entry in
            switch entry.visibility {
            case .always: true
            case .whereRoom: isRoomy(entry)
            case .never: false
            }
        }
        let room = { entries.reduce(width) { $0 - ($1.column == .path ? 0 : own($1.column) + 1) } }
        while room() < pathWidthMin, let index = leastIndex(entries) { entries.remove(at: index) }
        return entries.map(\.column)
    }

    /// The column to drop first, or nil if all remaining ones are shown on every screen.
    private static func leastIndex(_ entries: [ColumnChoice.Entry]) -> Int? {
        let optional = entries.indices.filter { entries[$0].column.screenWidthMin > 0 }
        let unasked = optional.filter { entries[$0].visibility == .whereRoom }
        return (unasked.isEmpty ? optional : unasked)
            .max { entries[$0].column.screenWidthMin < entries[$1].column.screenWidthMin }
    }

    func column(at position: Int) -> Column? {
        slots.first { $0.start <= position && position <= $0.start + $0.width }?.column
    }
}

extension ListColumns {
    /// A column, by its name in the settings file.
    enum Column: String, Sendable, Hashable, CaseIterable {
        case marks, id, time, method, host, path, status, proto, type, size, duration, process
        case sent, client, server, user, listener
    }
}

extension ListColumns.Column {
    var title: String {
        switch self {
        case .marks: ""
        case .id: "id"
        case .duration: "took"
        case .status: "st"
        default: rawValue
        }
    }

    var meaning: String {
        switch self {
        case .marks: "signs: marked, pinned, noted, replayed …"
        case .id: "its number"
        case .time: "when it started"
        case .method: "the method"
        case .host: "the host and its port; if wide, its scheme"
        case .path: "the path; it takes the remaining width"
        case .status: "the status code, or how it ended"
        case .proto: "the protocol: h1, h2, ws, grpc …"
        case .type: "the response's content type"
        case .size: "the size of the response's body"
        case .duration: "how long it took"
        case .process: "the program that sent it"
        case .sent: "the size of the request's body"
        case .client: "the client's address and port"
        case .server: "the server's address and port"
        case .user: "the user as whom the client authenticated"
        case .listener: "the listener that the client connected to"
        }
    }

    /// The minimum width of the screen for a column that was not requested; 0 for any width.
    var screenWidthMin: Int {
        switch self {
        case .marks, .method, .path, .status: 0
        case .size: 40
        case .host: 50
        case .time: 60
        case .duration: 70
        case .type: 100
        case .proto: 110
        case .process: 130
        case .id: 150
        case .sent: 160
        case .client: 170
        case .server: 180
        case .user: 190
        case .listener: 200
        }
    }

    static let hostWidthMin = 12
    /// The width from which on columns beside the path may be wide.
    private static let roomyScreenWidth = 200

    /// The width on a screen of `width` columns; for the path, the minimum.
    func width(in width: Int) -> Int {
        let isRoomy = width >= ListColumns.Column.roomyScreenWidth
        return switch self {
        case .marks: RowMarks.columnCount
        case .id, .path: 8
        case .time: width >= 120 ? 12 : 8
        case .method: 7
        case .host: max(ListColumns.Column.hostWidthMin, min(40, width / (isRoomy ? 4 : 5)))
        case .status: 3
        case .proto, .size, .duration, .sent: 7
        case .type: isRoomy ? 20 : 10
        case .process: isRoomy ? 16 : 10
        case .client, .server: 21
        case .user, .listener: 12
        }
    }

    /// The sort column, or nil if rows cannot be sorted by it.
    var sortColumn: SortColumn? {
        switch self {
        case .marks, .proto, .sent, .client, .server, .user, .listener: nil
        case .id, .time: .time
        case .method: .method
        case .host: .host
        case .path: .path
        case .status: .status
        case .type: .type
        case .size: .size
        case .duration: .duration
        case .process: .process
        }
    }

    var isRight: Bool {
        switch self {
        case .id, .size, .duration, .sent: true
        default: false
        }
    }
}

struct ColumnChoice: Sendable, Hashable {
    enum Visibility: String, Sendable, Hashable, CaseIterable {
        /// On screens that are wide enough.
        case whereRoom = ""
        /// On narrow screens, too, as long as there is space for the path beside it.
        case always = "+"
        case never = "-"
    }

    struct Entry: Sendable, Hashable {
        let column: ListColumns.Column
        var visibility: Visibility

        /// Whether it can be switched off; the path cannot, because it takes the remaining space.
        var isOptional: Bool { column != .path }

        /// The notation in the file, such as `host`, `+id` or `-proto`.
        var text: String { visibility.rawValue + column.rawValue }
    }

    private(set) var entries: [Entry]

    static let standard = ColumnChoice(
        entries: ListColumns.Column.allCases.map { column in
            switch column {
            case .sent, .client, .server, .user, .listener:
                Entry(column: column, visibility: .never)
            default: Entry(column: column, visibility: .whereRoom)
            }
        })

    private init(entries: [Entry]) { self.entries = entries }

    /// Parses the output of `text`. Columns that it does not name are appended.
    init(_ text: String) {
        var entries: [Entry] = []
        for word in text.split(separator: " ") {
            let visibility = Visibility(rawValue: String(word.prefix(1))) ?? .whereRoom
            let name = String(visibility == .whereRoom ? word : word.dropFirst())
            guard let column = ListColumns.Column(rawValue: name),
                !entries.contains(where: { $0.column == column })
            else { continue }
            entries.append(
                Entry(column: column, visibility: column == .path ? .whereRoom : visibility))
        }
        let named = Set(entries.map(\.column))
        self.entries = entries + ColumnChoice.standard.entries.filter { !named.contains($0.column) }
    }

    var text: String { entries.map(\.text).joined(separator: " ") }

    mutating func visibility(_ visibility: Visibility, at index: Int) {
        guard entries.indices.contains(index), entries[index].isOptional else { return }
        entries[index].visibility = visibility
    }

    /// Moves a column by one position; returns its new index.
    mutating func move(from index: Int, by step: Int) -> Int {
        let target = index + step
        guard entries.indices.contains(index), entries.indices.contains(target) else {
            return index
        }
        entries.swapAt(index, target)
        return target
    }
}

/// Switches the columns of the list on and off, and reorders them.
struct ColumnsScreen: LineListScreen {
    typealias News = Never
    typealias Answer = ColumnChoice

    let title = "Columns"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .columns]
    let presentation = Presentation.box(Size(columns: 60, rows: ListColumns.Column.allCases.count))
    private(set) var choice: ColumnChoice
    var cursor = ListCursor()
    private let width: Int

    init(_ choice: ColumnChoice, width: Int) {
        self.choice = choice
        self.width = width
        cursor.count = choice.entries.count
    }

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .keepColumns: return [.answer(choice)]
        case .switchColumn: return openLine(context)
        case .moveColumnUp: cursor.select(choice.move(from: cursor.selected, by: -1))
        case .moveColumnDown: cursor.select(choice.move(from: cursor.selected, by: 1))
        case .standardColumns: choice = .standard
        default: break
        }
        return []
    }

    private var shown: Set<ListColumns.Column> {
        Set(ListColumns(width: width, choice: choice).slots.map(\.column))
    }

    /// Switches the column on or off.
    mutating func openLine(_ context: Context) -> [Effect] {
        let entry = choice.entries[cursor.selected]
        guard entry.isOptional else {
            return [.notify(.information("the path is always shown: it takes the remaining width"))]
        }
        let isOn = entry.visibility == .always || shown.contains(entry.column)
        choice.visibility(isOn ? .never : .always, at: cursor.selected)
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let shown = shown
        canvas.drawLines(of: cursor) { line, row in
            let entry = choice.entries[line]
            let isShown = shown.contains(entry.column)
            let mark = isShown ? "[x]" : entry.visibility == .never ? "[ ]" : "[-]"
            canvas.draw(mark, column: 1, row: row, Style(isShown ? .good : .dim))
            canvas.draw(
                entry.column.rawValue, column: 5, row: row, width: 9,
                isShown ? Style(.accent) : Style(.dim))
            let words = isShown || entry.visibility == .never ? entry.column.meaning : "no room"
            canvas.draw(
                words, column: 15, row: row, width: canvas.columns - 16,
                isShown ? .plain : Style(.dim))
        }
    }
}

extension ChoiceScreen where Chosen == RowOrder {
    /// Asks for the sort column; numbers are sorted largest first.
    static func sorting(_ current: RowOrder) -> ChoiceScreen {
        let keys: [(SortColumn, Character)] = [
            (.time, "t"), (.method, "m"), (.host, "h"), (.path, "p"), (.status, "s"), (.type, "y"),
            (.size, "z"), (.duration, "d"), (.process, "r"),
        ]
        let choices = keys.map { column, key in
            let isDescending = column == .size || column == .duration || column == .status
            return Choice(
                key: Key(key), name: column.rawValue,
                answer: RowOrder(column: column, isDescending: isDescending))
        }
        let selected = keys.firstIndex { $0.0 == current.column } ?? 0
        return ChoiceScreen("Sort by", choices, selected: selected)
    }
}
