internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The list of exchanges ("Sequence"): a window of rows in a store of any size.
struct ListScreen: ScreenModel {
    typealias Answer = Never

    let title = "Exchanges"
    var places: Set<Action.Place> {
        waterfall == nil
            ? [.everywhere, .moving, .list] : [.everywhere, .moving, .list, .waterfall]
    }

    var window = RowWindow<ExchangeRow>()
    private(set) var filter = Filter.everything
    private var trail = FilterTrail()
    var order = RowOrder.recorded
    var isFollowing = true
    var marks: Set<ExchangeID> = []
    var memory: ListMemory
    /// How many rows match the filter.
    var count = RowCount.unknown
    var extent: StoreExtent?
    /// Whether rows have been read.
    var hasRows = false
    /// Why there are no rows.
    var problem: String?
    /// What is being read, and the share of the rows that was scanned, if known.
    var loads: Set<Load> = []
    var readShare: Double?
    /// Whether reading was aborted.
    var isStopped = false
    var lastCountAt: Int64 = 0
    /// Whether the store changed since rows were counted.
    var isCountBehind = false
    /// Whether the displayed rows are those of another filter or order.
    var isBehind = false
    /// Whether the store changed again during the last check.
    var hasNews = false
    /// Which of the newest rows the user has seen.
    var unseen = UnseenRows()
    /// The waterfall, if rows are shown as bars on a time axis.
    var waterfall: Waterfall?

    enum Load: String, Sendable, Hashable {
        case page, before, after, refresh
    }

    /// How many rows match a filter.
    enum RowCount: Sendable, Hashable {
        case unknown
        /// The number found so far.
        case counting(Int64)
        /// Counting was aborted.
        case atLeast(Int64)
        case exactly(Int64)
    }

    init(memory: ListMemory = ListMemory()) { self.memory = memory }

    mutating func appear(_ context: Context) -> [Effect] {
        window.height = max(1, context.size.rows - ListScreen.barCount)
        if !hasRows { return reload(.last) }
        if isFollowing { selectNewest() }
        return more() + readTimelines()
    }

    /// The number of lines that are not rows: headings and the description.
    static let barCount = 2

    var selectedRow: ExchangeRow? { window.selectedRow }

    // MARK: Actions

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        let former = window.selectedRow?.id
        let effects = performOnWaterfall(action, context) ?? performOnRows(action, context)
        lookForNews(isLooking: true)
        if window.selectedRow?.id != former { waterfall?.reveal(window.selectedRow) }
        return effects + readTimelines()
    }

    private mutating func performOnRows(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .up: return move(-1)
        case .down: return move(1)
        case .pageUp: return move(-window.height)
        case .pageDown: return move(window.height)
        case .halfPageUp: return move(-max(1, window.height / 2))
        case .halfPageDown: return move(max(1, window.height / 2))
        case .first: return jump(isFirst: true)
        case .last: return jump(isFirst: false)
        case .open: return open()
        case .filter:
            return [.ask(FilterBar(text: filter.text, memory: memory.filters)) { .filtered($0) }]
        case .clearFilter:
            return filter.matchesEverything ? [] : apply(.everything)
        case .undoFilter: return undoFilter()
        case .nameFilter: return nameFilter()
        case .showFilters: return [.ask(SavedFiltersScreen(memory)) { .saved($0) }]
        case .follow: return toggleFollow()
        case .sort: return [.ask(ChoiceScreen.sorting(order)) { .sorted($0) }]
        case .reverse:
            return sort(RowOrder(column: order.column, isDescending: !order.isDescending))
        case .columns:
            return [
                .ask(ColumnsScreen(memory.columns, width: context.size.columns)) { .columns($0) }
            ]
        case .mark: return toggleMark()
        case .unmarkAll:
            marks = []
            return []
        case .delete: return startDeleting(context)
        case .deleteShown: return startClearing(context)
        case .reload: return reload(.around)
        case .cancel: return stop()
        case .close: return loads.contains(.page) || !count.isKnown ? stop() : []
        case .showTree: return [.ask(TreeScreen(filter: filter)) { .focused($0) }]
        case .showDiff: return compare()
        case .compareTraffic: return [.ask(FormDialog.comparing(filter, context)) { .focused($0) }]
        case .showRules: return [.ask(RulesScreen()) { .focused($0) }]
        case .showSummary: return [.ask(SummaryScreen(filter: filter)) { .focused($0) }]
        default: return performOnRow(action, context)
        }
    }

    private mutating func move(_ count: Int) -> [Effect] {
        isFollowing = false
        window.move(by: count)
        return more()
    }

    /// Moves to the first or last row, which may have to be read first.
    private mutating func jump(isFirst: Bool) -> [Effect] {
        isFollowing = !isFirst && order == .recorded
        if isFirst ? window.isStart : window.isEnd {
            if isFirst { window.selectFirst() } else { window.selectLast() }
            return []
        }
        return reload(isFirst ? .first : .last)
    }

    private func open() -> [Effect] {
        guard let row = window.selectedRow else { return [] }
        return [.ask(DetailScreen(row, filter: filter, order: order)) { .focused($0) }]
    }

    private mutating func toggleFollow() -> [Effect] {
        isFollowing.toggle()
        guard isFollowing else { return [] }
        if order.column != .time { order = .recorded }
        return jumpToNewest()
    }

    private mutating func jumpToNewest() -> [Effect] {
        let isHeld = order.isDescending ? window.isStart : window.isEnd
        guard isHeld, hasRows, order.column == .time else {
            return reload(order.isDescending ? .first : .last)
        }
        selectNewest()
        return []
    }

    mutating func selectNewest() {
        if order.isDescending { window.selectFirst() } else { window.selectLast() }
    }

    private mutating func toggleMark() -> [Effect] {
        guard let id = window.selectedRow?.id else { return [] }
        if marks.remove(id) == nil { marks.insert(id) }
        window.move(by: 1)
        return more()
    }

    mutating func sort(_ order: RowOrder) -> [Effect] {
        self.order = order
        isFollowing = false
        isBehind = true
        return reload(order.column == .time ? .around : .first)
    }

    /// Applies another filter; `undoFilter` goes back to the current one.
    mutating func apply(_ filter: Filter) -> [Effect] {
        if filter.text != self.filter.text { trail.leave(self.filter) }
        return show(filter)
    }

    private mutating func undoFilter() -> [Effect] {
        guard let former = trail.back() else {
            return [.notify(.information("there is no previous filter"))]
        }
        return show(former)
    }

    private mutating func show(_ filter: Filter) -> [Effect] {
        self.filter = filter
        count = .unknown
        unseen.forgetCount()
        isBehind = true
        return reload(isFollowing ? .last : .around)
    }
}
