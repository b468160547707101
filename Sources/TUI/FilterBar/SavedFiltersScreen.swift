internal import ProxydFilter
internal import ProxydPresentation
internal import ProxydTerminalText
internal import FoundationEssentials

/// The saved filters, which can be chosen, named or deleted.
struct SavedFiltersScreen: LineListScreen {
    struct Answer: Sendable {
        let memory: ListMemory
        var filter: Filter?
    }

    enum News: Sendable {
        case named(FilterName)
        case confirmed(SavedFilter)
        case kept
    }

    let title = "Saved filters"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .filters]
    let presentation = Presentation.box(Size(columns: 74, rows: 14))
    private var memory: ListMemory
    private let former: FilterMemory
    var cursor = ListCursor()

    init(_ memory: ListMemory) {
        self.memory = memory
        former = memory.filters
        cursor.count = filters.count
    }

    private var filters: [SavedFilter] { memory.filters.saved }
    private var selected: SavedFilter? {
        filters.indices.contains(cursor.selected) ? filters[cursor.selected] : nil
    }

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        if action == .close {
            return memory.filters == former ? [] : [.answer(Answer(memory: memory))]
        }
        guard let filter = selected else { return [] }
        switch action {
        case .pickFilter: return pick(filter, context)
        case .nameFilter:
            return [FilterName(name: filter.name ?? "", filter: filter.text).ask { .named($0) }]
        case .deleteFilter:
            let question = ChoiceScreen<News>.confirming(
                "Delete \(filter.name ?? filter.text)", yes: ("delete it", .confirmed(filter)),
                no: ("keep it", .kept))
            return [.ask(question) { $0 }]
        default: return []
        }
    }

    mutating func openLine(_ context: Context) -> [Effect] {
        selected.map { pick($0, context) } ?? []
    }

    private func pick(_ filter: SavedFilter, _ context: Context) -> [Effect] {
        do throws(FilterError) {
            return [.answer(Answer(memory: memory, filter: try context.filter(filter.text)))]
        } catch {
            return [.notify(.problem(error.message))]
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        defer { cursor.count = filters.count }
        switch news {
        case .named(let name): return memory.save(name) { .named($0) }
        case .confirmed(let filter):
            memory.filters.forget(filter)
            return [.act(memory.storing())]
        case .kept: return []
        }
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        guard !filters.isEmpty else {
            canvas.draw("no saved filters yet:", column: 1, row: 0, Style(.dim))
            canvas.draw("in the list, N saves the current one", column: 1, row: 1, Style(.dim))
            return
        }
        let widest = filters.map { TerminalText.displayWidth($0.name ?? "") }.max() ?? 0
        let start = widest == 0 ? 1 : 3 + min(widest, canvas.columns / 3)
        canvas.drawLines(of: cursor) { line, row in
            let filter = filters[line]
            canvas.draw(
                filter.name ?? "", column: 1, row: row, width: start - 3,
                Style(.accent).adding(.bold))
            canvas.draw(filter.text, column: start, row: row, width: canvas.columns - start - 1)
        }
    }
}

struct SavedFilter: Sendable, Hashable {
    var name: String?
    let text: String

    private static let nameLengthMax = 40

    /// Whether a text can be a name: one word, which the filter bar completes after an `@`.
    static func isName(_ text: String) -> Bool {
        (1...nameLengthMax).contains(text.count)
            && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    static let nameRule = "a name has up to \(nameLengthMax) letters, digits and - _ ."

    /// The filter as part of another one.
    var part: String {
        guard let filter = try? Filter.parse(text), filter.isAlternative else { return text }
        return "(\(text))"
    }
}

struct FilterName: Sendable, Hashable {
    let name: String
    let filter: String

    func ask<News, Answer>(
        _ news: @escaping @Sendable (FilterName) -> News
    ) -> ScreenEffect<News, Answer> {
        .ask(PromptScreen("Name of this filter", name)) {
            news(FilterName(name: $0, filter: filter))
        }
    }

    /// Saves the filter under the name; returns a notice, or throws why the name is invalid.
    fileprivate func save(in memory: inout FilterMemory) throws(Refusal) -> Notice {
        guard SavedFilter.isName(name) else { throw Refusal(words: SavedFilter.nameRule) }
        let former = memory.save(SavedFilter(name: name, text: filter))
        let words =
            former.map { "\(name) now names this filter; before, it was \($0.text)" }
            ?? "saved as \(name): B lists it, @\(name) and Tab put it into the filter bar"
        return .success(words)
    }

    struct Refusal: Error { let words: String }
}

struct FilterMemory: Sendable, Hashable {
    static let historyCountMax = 200
    /// Longer filters were pasted by mistake, and would push all others out of the file.
    private static let filterByteCountMax = 4_096

    private(set) var history: [String] = []
    /// The saved filters in the order they were saved; names and texts are unique.
    private(set) var saved: [SavedFilter] = []

    mutating func remember(_ filter: String) {
        guard FilterMemory.isKept(filter) else { return }
        history.removeAll { $0 == filter }
        history.append(filter)
        history = history.suffix(FilterMemory.historyCountMax)
    }

    /// Saves a filter without a name, or removes it; returns whether it is saved now.
    mutating func toggleSaved(_ text: String) -> Bool {
        guard FilterMemory.isKept(text) else { return false }
        if let index = saved.firstIndex(where: { $0.text == text }) {
            saved.remove(at: index)
            return false
        }
        saved.append(SavedFilter(text: text))
        return true
    }

    /// Saves a filter, at the previous position of its text or name. Returns the other filter that
    /// lost the name to it.
    @discardableResult
    mutating func save(_ filter: SavedFilter) -> SavedFilter? {
        guard FilterMemory.isKept(filter.text) else { return nil }
        let former = saved.first { $0.name == filter.name && filter.name != nil }
        let isSame = { (other: SavedFilter) in
            other.text == filter.text || filter.name != nil && other.name == filter.name
        }
        let index = saved.firstIndex(where: isSame) ?? saved.count
        saved.removeAll(where: isSame)
        saved.insert(filter, at: index)
        return former?.text == filter.text ? nil : former
    }

    mutating func forget(_ filter: SavedFilter) { saved.removeAll { $0 == filter } }

    func name(of text: String) -> String? { saved.first { $0.text == text }?.name }

    /// Merges what another memory added and removed since it was equal to `former`.
    mutating func take(_ other: FilterMemory, since former: FilterMemory) {
        for filter in other.history { remember(filter) }
        for filter in former.saved where !other.saved.contains(filter) { forget(filter) }
        for filter in other.saved where !former.saved.contains(filter) { save(filter) }
    }

    /// Whether a filter is worth a line in the file.
    static func isKept(_ filter: String) -> Bool {
        !filter.isEmpty && filter.utf8.count <= filterByteCountMax
    }
}

/// What the list remembers between runs: recently used filters, saved ones, and the columns.
///
/// Each line of its file is a letter, a space and a value: `h` and a filter of the history; `s` and
/// a saved filter; `n`, and the name of a saved filter, a space and that filter; `c` and the
/// columns.
struct ListMemory: Sendable, Hashable {
    private static let fileByteCountMax = 1 << 20

    var filters = FilterMemory()
    var columns = ColumnChoice.standard
    /// The path of the file, or nil if nothing is stored.
    private var path: String?
    /// What is already in the file, or being written to it.
    private var written = Written()

    private struct Written: Sendable, Hashable {
        var filters = FilterMemory()
        var columns = ColumnChoice.standard
    }

    init() {}

    /// Reads the file in a directory; empty if there is none.
    static func load(_ directory: String?) -> ListMemory {
        var memory = ListMemory()
        memory.path = directory.map { $0 + "/filters" }
        memory.read()
        return memory
    }

    /// Saves a filter under a name; asks again if the name is invalid.
    mutating func save<News, Answer>(
        _ name: FilterName, _ news: @escaping @Sendable (FilterName) -> News
    ) -> [ScreenEffect<News, Answer>] {
        do throws(FilterName.Refusal) {
            let notice = try name.save(in: &filters)
            return [.act(storing()), .notify(notice)]
        } catch {
            return [name.ask(news), .notify(.problem(error.words))]
        }
    }

    /// Writes the file in the background; only a failure is reported.
    mutating func storing() -> Work<Notice?> {
        let memory = self
        written = Written(filters: filters, columns: columns)
        return Work("remember", on: .actions, isKept: true) { _ in
            try memory.store()
            return nil
        }
    }

    /// Writes the file, merged with what another viewer has written in the meantime.
    func store() throws {
        guard let path else { return }
        var merged = ListMemory()
        merged.path = path
        merged.read()
        merged.filters.take(filters, since: written.filters)
        if columns != written.columns { merged.columns = columns }
        if let slash = path.lastIndex(of: "/") { try PrivateFolder.make(String(path[..<slash])) }
        try PrivateFolder.write(Array(merged.lines.joined().utf8), to: path)
    }

    private var lines: [String] {
        (columns == .standard ? [] : ["c \(columns.text)\n"])
            + filters.saved.map { filter in
                filter.name.map { "n \($0) \(filter.text)\n" } ?? "s \(filter.text)\n"
            } + filters.history.map { "h \($0)\n" }
    }

    private mutating func read() {
        guard let path, let data = FileManager.default.contents(atPath: path),
            data.count <= ListMemory.fileByteCountMax
        else { return }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            read(line.prefix(2), String(line.dropFirst(2)))
        }
        written = Written(filters: filters, columns: columns)
    }

    /// Parses a line; lines of newer versions are ignored.
    private mutating func read(_ kind: Substring, _ text: String) {
        switch kind {
        case "h ": filters.remember(text)
        case "s ": filters.save(SavedFilter(text: text))
        case "n ":
            guard let space = text.firstIndex(of: " ") else { return }
            let name = String(text[..<space])
            guard SavedFilter.isName(name) else { return }
            filters.save(SavedFilter(name: name, text: String(text[space...].dropFirst())))
        case "c ": columns = ColumnChoice(text)
        default: break
        }
    }
}
