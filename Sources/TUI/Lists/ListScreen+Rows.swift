internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydFilter
internal import ProxydHTTPModel

/// Actions on the selected row, and answers of dialogs.
extension ListScreen {
    mutating func performOnRow(_ action: ActionID, _ context: Context) -> [Effect] {
        if action == .compose { return [.open(ComposeScreen(nil))] }
        guard let row = window.selectedRow else { return [] }
        if let facet = RowFacet(action) { return narrow(to: facet, of: row, context) }
        return RowActions.effects(
            action, row, ChosenRows(row: row, marked: marks.sorted(), filter: filter)
        ).map { $0.map { .row($0) } }
    }

    mutating func receive(_ news: RowNews, _ context: Context) -> [Effect] {
        switch news {
        case .copied(let text): return [.copy(text)]
        case .annotate(let change):
            return [RowActions.annotate(change).map { .row($0) }]
        case .changed(let notice): return [.notify(notice)] + reread()
        case .focused(let filter): return apply(filter)
        }
    }

    mutating func take(_ answer: FilterBar.Answer) -> [Effect] {
        remember(answer.memory) + (answer.filter.map { apply($0) } ?? [])
    }

    mutating func take(_ answer: SavedFiltersScreen.Answer) -> [Effect] {
        memory = answer.memory
        return answer.filter.map { apply($0) } ?? []
    }

    mutating func take(_ columns: ColumnChoice) -> [Effect] {
        memory.columns = columns
        return [.act(memory.storing())]
    }

    /// Narrows the current filter to rows like the selected one, or to all others.
    private mutating func narrow(
        to facet: RowFacet, of row: ExchangeRow, _ context: Context
    ) -> [Effect] {
        let text = FilterText.narrowed(filter, by: [facet.term(row)])
        do throws(FilterError) {
            let narrower = try Filter.parse(
                text, now: context.now, timeZone: context.clock.timeZone)
            var filters = memory.filters
            filters.remember(text)
            return remember(filters) + apply(narrower)
        } catch {
            return [.notify(.problem(error.message))]
        }
    }

    /// Stores what the filter bar remembers, in its file too.
    private mutating func remember(_ filters: FilterMemory) -> [Effect] {
        guard filters != memory.filters else { return [] }
        memory.filters = filters
        return [.act(memory.storing())]
    }

    /// Asks for a name for the filter.
    func nameFilter() -> [Effect] {
        guard !filter.matchesEverything else {
            return [.notify(.information("there is no filter to save: / enters one"))]
        }
        guard FilterMemory.isKept(filter.text) else {
            return [.notify(.problem("the filter is too long to be saved"))]
        }
        return [askForName(of: filter.text, memory.filters.name(of: filter.text) ?? "")]
    }

    private func askForName(of filter: String, _ name: String) -> Effect {
        .ask(FilterName.prompt(name)) { .named(FilterName(name: $0, filter: filter)) }
    }

    mutating func take(_ name: FilterName) -> [Effect] {
        do throws(FilterName.Refusal) {
            let notice = try name.save(in: &memory.filters)
            return [.act(memory.storing()), .notify(notice)]
        } catch {
            return [askForName(of: name.filter, name.name), .notify(.problem(error.words))]
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(let mouse) = event else { return nil }
        let effects = use(mouse, context)
        lookForNews(isLooking: true)
        return effects + readTimelines()
    }

    private mutating func use(_ mouse: MouseEvent, _ context: Context) -> [Effect] {
        switch mouse.kind {
        case .scrollUp:
            isFollowing = false
            window.scroll(by: -3)
            return more()
        case .scrollDown:
            window.scroll(by: 3)
            return more()
        case .press where mouse.button == .left: return press(mouse.position, context)
        default: return []
        }
    }

    /// A click on a heading sorts; a click on a row selects it, or opens it if it is selected.
    private mutating func press(_ position: Position, _ context: Context) -> [Effect] {
        if position.row == 0 {
            guard waterfall == nil else { return [] }
            let columns = columns(width: context.size.columns)
            guard let column = columns.column(at: position.column)?.sortColumn else { return [] }
            let isSame = column == order.column
            return sort(RowOrder(column: column, isDescending: isSame && !order.isDescending))
        }
        let before = window.selectedRow?.id
        guard window.select(visible: position.row - 1) else { return [] }
        isFollowing = false
        return before == window.selectedRow?.id ? perform(.open, context) : []
    }
}
