internal import ProxydFilter
internal import ProxydPresentation
internal import ProxydTerminalText
internal import ProxydOperations

/// The saved filters, which can be chosen, named or deleted.
struct SavedFiltersScreen: ScreenModel {
    /// The answer to the list: the updated memory, and the chosen filter.
    struct Answer: Sendable {
        let memory: ListMemory
        var filter: Filter?
    }

    enum News: Sendable {
        case named(FilterName)
        case confirmed(SavedFilter)
        case kept
    }

    private static let size = Size(columns: 74, rows: 14)

    let title = "Saved filters"
    let places: Set<Action.Place> = [.everywhere, .moving, .filters]
    let presentation = Presentation.box(SavedFiltersScreen.size)
    private var memory: ListMemory
    private let former: FilterMemory
    private var cursor = ListCursor()

    init(_ memory: ListMemory) {
        self.memory = memory
        former = memory.filters
        cursor.count = filters.count
    }

    private var filters: [SavedFilter] { memory.filters.saved }
    private var selected: SavedFilter? {
        filters.indices.contains(cursor.selected) ? filters[cursor.selected] : nil
    }

    mutating func appear(_ context: Context) -> [Effect] {
        cursor.height = max(1, context.size.rows)
        return []
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        if cursor.perform(action) { return [] }
        if action == .close {
            return memory.filters == former ? [] : [.answer(Answer(memory: memory))]
        }
        guard let filter = selected else { return [] }
        switch action {
        case .pickFilter: return pick(filter, context)
        case .nameFilter: return [SavedFiltersScreen.asking(filter.text, filter.name ?? "")]
        case .deleteFilter: return [.ask(SavedFiltersScreen.confirmation(of: filter)) { $0 }]
        default: return []
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(let mouse) = event else { return nil }
        guard cursor.use(mouse) == .again, let filter = selected else { return [] }
        return pick(filter, context)
    }

    private func pick(_ filter: SavedFilter, _ context: Context) -> [Effect] {
        do throws(FilterError) {
            let parsed = try Filter.parse(
                filter.text, now: context.now, timeZone: context.clock.timeZone)
            return [.answer(Answer(memory: memory, filter: parsed))]
        } catch {
            return [.notify(.problem(error.message))]
        }
    }

    // MARK: Names

    private static func asking(_ filter: String, _ name: String) -> Effect {
        .ask(FilterName.prompt(name)) { .named(FilterName(name: $0, filter: filter)) }
    }

    private mutating func save(_ name: FilterName) -> [Effect] {
        do throws(FilterName.Refusal) {
            let notice = try name.save(in: &memory.filters)
            return [.act(memory.storing()), .notify(notice)]
        } catch {
            return [
                SavedFiltersScreen.asking(name.filter, name.name), .notify(.problem(error.words)),
            ]
        }
    }

    // MARK: Deleting

    private static func confirmation(of filter: SavedFilter) -> ChoiceScreen<News> {
        ChoiceScreen(
            "Delete \(filter.name ?? filter.text)",
            [
                ChoiceScreen.Choice(key: Key("y"), name: "delete it", answer: .confirmed(filter)),
                ChoiceScreen.Choice(key: Key("n"), name: "keep it", answer: .kept),
            ], selected: 1)
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        defer { cursor.count = filters.count }
        switch news {
        case .named(let name): return save(name)
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
        for (row, line) in cursor.visible.enumerated() {
            let filter = filters[line]
            canvas.draw(
                filter.name ?? "", column: 1, row: row, width: start - 3,
                Style(.accent).adding(.bold))
            canvas.draw(filter.text, column: start, row: row, width: canvas.columns - start - 1)
            if line == cursor.selected { canvas.tint(row: row, .selection) }
        }
    }
}
