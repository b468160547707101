internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydFilter
internal import ProxydHTTPModel

/// What is done to the selected row, and answers of dialogs.
extension ListScreen {
    mutating func performOnRow(_ action: ActionID, _ context: Context) -> [Effect] {
        if action == .compose { return [.open(ComposeScreen(nil))] }
        guard let row = window.selectedRow else { return [] }
        if let facet = RowFacet(action) { return narrow(to: facet, of: row, context) }
        return RowActions.effects(
            action, row, ChosenRows(row: row, marked: marks.sorted(), filter: filter))
    }

    mutating func receive(answer: any Sendable, _ context: Context) -> [Effect] {
        switch answer {
        case let answer as FilterBar.Answer:
            return remember(answer.memory) + apply(answer.filter)
        case let filters as FilterMemory: return remember(filters)
        case let columns as ColumnChoice:
            memory.columns = columns
            return [memory.storing()]
        case let name as FilterName: return name.save(in: &memory)
        case let answer as SavedFiltersScreen.Answer:
            memory = answer.memory
            return answer.filter.map { apply($0) } ?? []
        case let choice as SortChoice: return sort(choice.order)
        case Deletion.Answer.delete(let deletion) as Deletion.Answer: return [deletion.deleting]
        case let focus as FocusedFilter: return apply(focus.filter)
        case let change as Annotation: return [RowActions.annotate(change)]
        default: return []
        }
    }

    /// Shows only rows like the selected one, or all but these, of those that are shown now.
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

    /// Keeps what the filter bar remembers, in its file too.
    private mutating func remember(_ filters: FilterMemory) -> [Effect] {
        guard filters != memory.filters else { return [] }
        memory.filters = filters
        return [memory.storing()]
    }

    /// Asks for a name for the filter.
    func nameFilter() -> [Effect] {
        guard !filter.matchesEverything else {
            return [.notify(.information("there is no filter to be named: / asks for one"))]
        }
        guard FilterMemory.isKept(filter.text) else {
            return [.notify(.problem("the filter is too long to be saved"))]
        }
        return [FilterName.asking(for: filter.text, memory.filters.name(of: filter.text) ?? "")]
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

    /// Headings sort; a row is selected, and opened when it already was.
    private mutating func press(_ position: Position, _ context: Context) -> [Effect] {
        if position.row == 0 {
            guard waterfall == nil else { return [] }
            let columns = ListColumns(
                width: context.size.columns, choice: memory.columns)
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
