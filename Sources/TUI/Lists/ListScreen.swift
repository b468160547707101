internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The list of exchanges ("Sequence"): a window of rows in a store of any size.
struct ListScreen: ScreenModel {
    typealias Answer = Never

    let title = "Exchanges"
    var list = RowList<ExchangeRow>(isFollowing: true)
    private var trail = FilterTrail(.everything)
    var order = RowOrder.recorded
    var marks: Set<ExchangeID> = []
    var memory: ListMemory
    var extent: StoreExtent?
    var lastCountAt: Int64 = 0
    /// Whether the store changed since rows were counted.
    var isCountBehind = false
    /// The waterfall, if rows are shown as bars on a time axis.
    var waterfall: Waterfall?
    /// The exchange beside the list, if one is open.
    var pane: ExchangePane?

    init(memory: ListMemory = ListMemory()) { self.memory = memory }

    var filter: Filter { trail.filter }
    var window: RowWindow<ExchangeRow> { list.window }

    mutating func appear(_ context: Context) -> [Effect] {
        list.window.height = max(1, context.size.rows - ListScreen.barCount)
        if !list.hasRead { return reload(.last) }
        if list.isFollowing { selectNewest() }
        return more() + readTimelines() + tellPane(context) { $0.appear($1) }
    }

    static let barCount = 2

    var selectedRow: ExchangeRow? { list.window.selectedRow }

    // MARK: Actions

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        let former = selectedRow?.id
        let effects =
            performOnPane(action, context) ?? performOnWaterfall(action, context)
            ?? performOnRows(action, context)
        lookForNews(isLooking: true)
        let selected = selectedRow
        if selected?.id != former { waterfall?.reveal(selected) }
        return effects + readTimelines() + showSelected(context)
    }

    mutating func performOnRows(_ action: ActionID, _ context: Context) -> [Effect] {
        if let movement = list.window.cursor.movement(action) { return move(movement) }
        switch action {
        case .open: return open(context)
        case .filter:
            // What is typed is another test, which the filter requires, too.
            let text = filter.matchesEverything ? filter.text : filter.text + " "
            return [.ask(FilterBar(text: text, memory: memory.filters)) { .filtered($0) }]
        case .clearFilter: return filter.matchesEverything ? [] : apply(.everything)
        case .undoFilter: return undoFilter()
        case .nameFilter: return nameFilter()
        case .showFilters: return [.ask(SavedFiltersScreen(memory)) { .saved($0) }]
        case .follow: return toggleFollow()
        case .sort: return [.ask(ChoiceScreen.sorting(order)) { .sorted($0) }]
        case .reverse:
            return sort(RowOrder(column: order.column, isDescending: !order.isDescending))
        case .columns:
            return [
                .ask(ColumnsScreen(memory.columns, width: listContext(context).size.columns)) {
                    .columns($0)
                }
            ]
        case .mark: return toggleMark()
        case .unmarkAll:
            marks = []
            return []
        case .delete: return startDeleting(context)
        case .deleteShown: return startClearing(context)
        case .reload: return reload(.around)
        case .cancel: return stop()
        case .close: return list.isReading || !list.count.isKnown ? stop() : []
        case .showTree: return [.ask(TreeScreen(filter: filter)) { .focused($0) }]
        case .showDiff: return compare()
        case .compareTraffic: return [.ask(FormDialog.comparing(filter, context)) { .focused($0) }]
        case .showRules: return [.ask(RulesScreen()) { .focused($0) }]
        case .showSummary: return [.ask(SummaryScreen(filter: filter)) { .focused($0) }]
        default: return performOnRow(action, context)
        }
    }

    /// The first or last row may have to be read first.
    mutating func move(_ movement: Movement) -> [Effect] {
        list.isFollowing = movement == .last && order == .recorded
        switch movement {
        case .first where !list.window.isStart: return reload(.first)
        case .last where !list.window.isEnd: return reload(.last)
        default:
            list.window.move(movement)
            return more()
        }
    }

    private mutating func toggleFollow() -> [Effect] {
        list.isFollowing.toggle()
        guard list.isFollowing else { return [] }
        if order.column != .time { order = .recorded }
        guard hasNewest, list.hasRead else { return reload(newestEnd) }
        selectNewest()
        return []
    }

    /// The end of the list where new rows appear in order of time.
    var newestEnd: Start { order.isDescending ? .first : .last }
    var hasNewest: Bool {
        order.column == .time && (order.isDescending ? list.window.isStart : list.window.isEnd)
    }

    mutating func selectNewest() { list.window.move(order.isDescending ? .first : .last) }

    private mutating func toggleMark() -> [Effect] {
        guard let id = selectedRow?.id else { return [] }
        if marks.remove(id) == nil { marks.insert(id) }
        list.window.move(.lines(1))
        return more()
    }

    mutating func sort(_ order: RowOrder) -> [Effect] {
        self.order = order
        list.isFollowing = false
        list.isBehind = true
        return reload(order.column == .time ? .around : .first)
    }

    /// Applies another filter; `undoFilter` goes back to the current one.
    mutating func apply(_ filter: Filter) -> [Effect] {
        trail.apply(filter)
        return showFiltered()
    }

    private mutating func undoFilter() -> [Effect] {
        trail.goBack() ? showFiltered() : [FilterTrail.nothingBefore()]
    }

    private mutating func showFiltered() -> [Effect] {
        list.count = .unknown
        list.unseen.forgetCount()
        list.isBehind = true
        return reload(list.isFollowing ? .last : .around)
    }

    // MARK: News

    enum News: Sendable {
        // Pages of rows.
        case page(FirstPage)
        case before(RowPage)
        case after(RowPage)
        /// The share of the rows that was scanned for a page.
        case reading(Double)

        // Changes in the store.
        case changed(StoreNews)
        /// The store changed, and its new rows may be anywhere.
        case reordered(FirstPage)
        case unchanged
        case reread([ExchangeRow])
        /// The number of rows that match the filter, intermediate or final.
        case counted(RowCount)
        case timelines(Waterfall.News)

        // Deleting.
        case question(Deletion.Question)
        case decided(Deletion.Answer)
        case deleted(Notice)

        // Dialogs, and screens above.
        case filtered(FilterBar.Answer)
        case saved(SavedFiltersScreen.Answer)
        case named(FilterName)
        case columns(ColumnChoice)
        case sorted(RowOrder)
        case focused(Filter)
        case row(RowNews)
        case pane(DetailScreen.News)
    }

    static func notice(of news: News) -> Notice? {
        switch news {
        case .deleted(let notice): notice
        case .row(let news), .pane(.row(let news)): news.notice
        default: nil
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        let effects = take(news, context)
        lookForNews(isLooking: false)
        return effects + readTimelines() + showSelected(context)
    }

    private mutating func take(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page, .before, .after, .changed, .reordered, .unchanged:
            return take(loaded: news, context)
        case .reading(let share): list.share = share
        case .counted(let count):
            list.count = count
            guard count.exact != nil else { return [] }
            lastCountAt = context.now
            return more()
        case .reread(let rows):
            list.window.update(rows)
            return more()
        case .timelines(let news):
            waterfall?.take(news)
            return more()
        case .question(let question): return ask(question, context)
        case .decided(let answer): return take(answer)
        case .deleted(let notice): return [.notify(notice)] + refresh()
        case .filtered(let answer): return take(answer)
        case .saved(let answer): return take(answer)
        case .named(let name): return memory.save(name) { .named($0) }
        case .columns(let columns): return take(columns)
        case .sorted(let order): return sort(order)
        case .focused(let filter): return apply(filter)
        case .row(let news): return receive(news, context)
        case .pane(let news): return receive(inPane: news, context)
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        if let own = ExchangePane.part.own(slot) {
            return tellPane(context) { $0.fail(own, words, $1) }
        }
        defer { lookForNews(isLooking: false) }
        if slot == Waterfall.slot { waterfall?.fail() }
        guard list.fail(RowLoad(rawValue: slot), words) else { return [] }
        return [.notify(.problem(words))] + readTimelines()
    }

    mutating func storeChanged(_ context: Context) -> [Effect] {
        waterfall?.retry()
        let effects = refresh()
        lookForNews(isLooking: false)
        return effects + readTimelines() + tellPane(context) { $0.storeChanged($1) }
    }

    // MARK: The selected row, and answers of dialogs

    mutating func performOnRow(_ action: ActionID, _ context: Context) -> [Effect] {
        if action == .compose { return [.open(ComposeScreen(nil))] }
        guard let row = selectedRow else { return [] }
        if let facet = RowFacet(action) { return narrow(to: facet, of: row, context) }
        return RowActions.effects(
            action, row, ChosenRows(row: row, marked: marks.sorted(), filter: filter)
        ).map { $0.map { .row($0) } }
    }

    mutating func receive(_ news: RowNews, _ context: Context) -> [Effect] {
        switch news {
        case .copied(let text): return [.copy(text)]
        case .annotate(let change): return [RowActions.annotate(change).map { .row($0) }]
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

    private mutating func narrow(
        to facet: RowFacet, of row: ExchangeRow, _ context: Context
    ) -> [Effect] {
        let text = FilterText.narrowed(filter, by: [facet.term(row)])
        do throws(FilterError) {
            let narrower = try context.filter(text)
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

    func nameFilter() -> [Effect] {
        guard !filter.matchesEverything else {
            return [.notify(.information("there is no filter to save: / enters one"))]
        }
        guard FilterMemory.isKept(filter.text) else {
            return [.notify(.problem("the filter is too long to be saved"))]
        }
        let name = memory.filters.name(of: filter.text) ?? ""
        return [FilterName(name: name, filter: filter.text).ask { .named($0) }]
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        if let effects = inputOnPane(event, context) { return effects }
        guard case .mouse(let mouse) = event else { return nil }
        let effects = use(mouse, context)
        lookForNews(isLooking: true)
        return effects + readTimelines() + showSelected(context)
    }

    private mutating func use(_ mouse: MouseEvent, _ context: Context) -> [Effect] {
        if mouse.kind == .press, mouse.button == .left, mouse.position.row == 0 {
            return pressHeading(mouse.position.column, context)
        }
        var mouse = mouse
        mouse.position.row -= 1
        if mouse.kind == .scrollUp { list.isFollowing = false }
        switch list.window.use(mouse) {
        case .nothing: return more()
        case .selected: list.isFollowing = false
        case .again:
            list.isFollowing = false
            return perform(.open, context)
        }
        return []
    }

    /// A click on a heading sorts.
    private mutating func pressHeading(_ position: Int, _ context: Context) -> [Effect] {
        let columns = columns(width: listContext(context).size.columns)
        guard waterfall == nil, let column = columns.column(at: position)?.sortColumn else {
            return []
        }
        let isSame = column == order.column
        return sort(RowOrder(column: column, isDescending: isSame && !order.isDescending))
    }

    func compare() -> [Effect] {
        var chosen = marks.sorted()
        if chosen.count == 1, let selected = selectedRow?.id, !marks.contains(selected) {
            chosen.append(selected)
        }
        guard chosen.count == 2 else {
            return [.notify(.problem("mark two exchanges with m, or mark one and select another"))]
        }
        return [.open(DiffScreen(chosen[0], chosen[1]))]
    }
}
