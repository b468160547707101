internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Reading rows: pages around the visible part.
extension ListScreen {
    enum Start: Sendable, Hashable {
        case first, last
        /// Around the selected row, if there is one.
        case around
    }

    /// A page for a window that starts over.
    struct FirstPage: Sendable {
        let rows: [ExchangeRow]
        let isStart: Bool
        let isEnd: Bool
        /// The row to select, or nil for the end that was read.
        let selected: ExchangeID?
        let isFromEnd: Bool
        let extent: StoreExtent
    }

    mutating func reload(_ start: Start) -> [Effect] {
        let cancelled = list.begin().map(\.rawValue) + ["count"]
        let isFromEnd = start == .last || start == .around && !order.isDescending
        let request = request(isFromEnd ? .last : .first)
        let selected = start == .around && order.column == .time ? window.selectedRow : nil
        let work = Work<News>(RowLoad.page.rawValue, on: .rows) { context, report in
            let report = ReportPace.paced(report)
            let extent = try context.rows.extent()
            return .page(
                try ListScreen.page(request, around: selected, extent, context) {
                    report(.reading($0))
                })
        }
        return cancelled.map { .cancelWork(slot: $0) } + [.work(work)]
    }

    private func request(_ anchor: RowRequest.Anchor) -> RowRequest {
        RowRequest(filter: filter, order: order, anchor: anchor, count: window.pageCount)
    }

    /// Reads the rows around one, in order of time, or else those at the end that is requested.
    private static func page(
        _ request: RowRequest, around row: ExchangeRow?, _ extent: StoreExtent,
        _ context: WorkContext, report: (Double) -> Void
    ) throws -> FirstPage {
        if let row { return try rows(around: row, request, extent, context, report: report) }
        let page = try context.rows.page(request, progress: report)
        let isFromEnd = request.anchor.isBackward
        return FirstPage(
            rows: page.rows, isStart: !isFromEnd || page.isEnd, isEnd: isFromEnd || page.isEnd,
            selected: nil, isFromEnd: isFromEnd, extent: extent)
    }

    private static func rows(
        around row: ExchangeRow, _ request: RowRequest, _ extent: StoreExtent,
        _ context: WorkContext, report: (Double) -> Void
    ) throws -> FirstPage {
        let (filter, count, isDescending) = (
            request.filter, request.count, request.order.isDescending
        )
        let olderShare = min(1, Double(max(0, row.id.rawValue)) / Double(max(1, extent.lastID)))
        let older = try context.rows.page(
            RowRequest(filter: filter, order: .recorded, anchor: .before(row), count: count)
        ) { report($0 * olderShare) }
        let before = ExchangeID(rawValue: row.id.rawValue &- 1)
        let newer = try context.rows.newer(than: before, filter, count: count) {
            report(olderShare + $0 * (1 - olderShare))
        }
        // Several machines' numbers are not in the list's order, so a row may be in both pages.
        let known = Set(older.rows.map(\.id))
        let rows = older.rows + newer.filter { !known.contains($0.id) }
        let isNewest = newer.count < count
        let nearest = rows.contains { $0.id == row.id } ? row : newer.first ?? older.rows.last
        return FirstPage(
            rows: isDescending ? rows.reversed() : rows,
            isStart: isDescending ? isNewest : older.isEnd,
            isEnd: isDescending ? older.isEnd : isNewest, selected: nearest?.id, isFromEnd: true,
            extent: extent)
    }

    /// Reads more when the visible part comes near an end of the loaded rows.
    mutating func more() -> [Effect] {
        guard let first = window.rows.first, let last = window.rows.last else { return [] }
        return list.wanted().map { load in
            let request = request(load == .before ? .before(first) : .after(last))
            return .work(
                Work(load.rawValue, on: .rows) { context, report in
                    let report = ReportPace.paced(report)
                    let page = try context.rows.page(request) { report(.reading($0)) }
                    return load == .before ? .before(page) : .after(page)
                })
        }
    }

    /// Aborts reading. Rows of another filter or order are removed.
    mutating func stop() -> [Effect] {
        if list.isReading {
            list.window.replace([], isStart: true, isEnd: true)
            list.isBehind = false
            list.isStopped = true
        }
        let slots = list.stop().map(\.rawValue) + ["count", Deletion.slot]
        return slots.map { .cancelWork(slot: $0) }
    }

    // MARK: Results

    /// Takes over what was read, and checks again if the store changed meanwhile.
    mutating func take(loaded news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page: list.end(.page)
        case .before: list.end(.before)
        case .after: list.end(.after)
        default: list.end(.refresh)
        }
        return show(loaded: news, context) + (list.hasNews ? refresh() : [])
    }

    private mutating func show(loaded news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page(let page): return take(page, context)
        case .before(let page): list.window.prepend(page.rows, isStart: page.isEnd)
        case .after(let page): list.window.append(page.rows, isEnd: page.isEnd)
        case .changed(let change): return take(change, context)
        case .reordered(let page): return take(reordered: page, context)
        default: return more() + recount(context)
        }
        return more()
    }

    private mutating func take(_ page: FirstPage, _ context: Context) -> [Effect] {
        list.show()
        extent = page.extent
        list.window.replace(page.rows, isStart: page.isStart, isEnd: page.isEnd)
        if let id = page.selected {
            list.window.select(id)
        } else if page.isFromEnd {
            list.window.move(.last)
        }
        let pages = more()
        isCountBehind = false
        if filter.matchesEverything {
            list.count = .exactly(page.extent.exchangeCount)
        } else if page.isStart, page.isEnd {
            list.count = .exactly(Int64(page.rows.count))
            lastCountAt = context.now
        } else {
            // The visible rows are read first: counting takes longer.
            return pages + countRows()
        }
        return pages
    }

    // MARK: Following the store

    /// How many numbers below the newest are read again: numbers are taken when exchanges start,
    /// and exchanges may reach the store in another order.
    private static let lateCount: Int64 = 256
    /// How many of the newest numbers are read again although they did not match the filter: the
    /// exchanges may match it now that they have ended.
    private static let seenAgainCount: Int64 = 4_096
    private static let newestCountMax = 1_000
    /// The minimum time between two counts of a filter while rows arrive, in nanoseconds.
    private static let countPeriodNs: Int64 = 2_000_000_000

    struct StoreNews: Sendable {
        let extent: StoreExtent
        /// The current rows above `above`, or nil if they were not requested.
        var newest: [ExchangeRow]?
        let above: ExchangeID
        var isComplete: Bool
        let asked: [ExchangeID]
        let updated: [ExchangeRow]
        let goneMarks: Set<ExchangeID>
    }

    mutating func refresh() -> [Effect] {
        guard !list.isStopped else { return [] }
        guard list.hasRead else { return list.isReading ? [] : reload(.last) }
        guard list.beginRefresh() else { return [] }
        if !isOrderedByNumber, order.column == .time { return readAnew() }
        let (known, filter, order) = (extent, filter, order)
        let above = newestBound
        // Visible rows may have been deleted or annotated, and active ones may have ended.
        let seen = Set(window.visible.map(\.id))
        let asked = window.rows.filter { row in
            (row.state == .active || seen.contains(row.id)) && (above.map { row.id <= $0 } ?? true)
        }.map(\.id)
        let marks = marks
        let work = Work<News>(RowLoad.refresh.rawValue, on: .rows, isQuiet: true) { context in
            let extent = try context.rows.extent()
            if extent == known { return .unchanged }
            var news = StoreNews(
                extent: extent, newest: nil, above: above ?? ExchangeID(rawValue: 0),
                isComplete: true, asked: asked,
                updated: asked.isEmpty ? [] : try context.rows.rows(asked),
                goneMarks: try ListScreen.gone(marks, context))
            if let above, order.column == .time {
                let newest = try context.rows.newer(
                    than: above, filter, count: ListScreen.newestCountMax)
                news.newest = newest
                news.isComplete = newest.count < ListScreen.newestCountMax
            }
            return .changed(news)
        }
        return [.work(work)]
    }

    /// Reads the rows around the selected one again: after a change, new ones may be anywhere.
    private func readAnew() -> [Effect] {
        let (known, request) = (extent, request(order.isDescending ? .first : .last))
        let selected = list.isFollowing ? nil : window.selectedRow
        let work = Work<News>(RowLoad.refresh.rawValue, on: .rows, isQuiet: true) { context in
            let extent = try context.rows.extent()
            if extent == known { return .unchanged }
            return .reordered(
                try ListScreen.page(request, around: selected, extent, context) { _ in })
        }
        return [.work(work)]
    }

    /// Takes over rows that were read anew; the selected one stays where it is on the screen.
    mutating func take(reordered page: FirstPage, _ context: Context) -> [Effect] {
        let distance = window.distance
        extent = page.extent
        if filter.matchesEverything { list.count = .exactly(page.extent.exchangeCount) }
        list.window.replace(page.rows, isStart: page.isStart, isEnd: page.isEnd)
        if list.isFollowing {
            selectNewest()
        } else if let id = page.selected {
            list.window.select(id)
            list.window.place(selectedAt: distance)
        }
        isCountBehind = true
        return more() + recount(context)
    }

    private static func gone(
        _ marks: Set<ExchangeID>, _ context: WorkContext
    ) throws -> Set<ExchangeID> {
        guard !marks.isEmpty else { return [] }
        return marks.subtracting(try context.rows.rows(marks.sorted()).map(\.id))
    }

    /// The number above which rows are read again, or nil if the newest rows are not loaded.
    private var newestBound: ExchangeID? {
        guard hasNewest else { return nil }
        let ends = (window.rows.first?.id.rawValue, window.rows.last?.id.rawValue)
        let (first, last) = (ends.0 ?? 0, ends.1 ?? 0)
        let (oldest, newest) = (min(first, last), max(first, last))
        let isOldestLoaded = order.isDescending ? window.isEnd : window.isStart
        // If the newest matching row is old, the rows after it were checked before.
        let seen = max(0, newest, max(0, extent?.lastID ?? 0) - ListScreen.seenAgainCount)
        let late = seen - ListScreen.lateCount
        // Numbers start at 1; lower ones are damage.
        return ExchangeID(rawValue: max(0, isOldestLoaded ? late : max(late, max(1, oldest) - 1)))
    }

    mutating func take(_ news: StoreNews, _ context: Context) -> [Effect] {
        if let extent, news.extent.storeNumber != extent.storeNumber { return beginAnew() }
        let wasSmaller =
            news.extent.exchangeCount < (extent?.exchangeCount ?? 0)
            || isOrderedByNumber && news.extent.lastID < (extent?.lastID ?? 0)
        extent = news.extent
        marks.subtract(news.goneMarks)
        if filter.matchesEverything { list.count = .exactly(news.extent.exchangeCount) }
        // Rows were deleted, possibly loaded ones.
        if wasSmaller { return reload(list.isFollowing ? .last : .around) }
        if list.isFollowing, !news.isComplete { return reload(newestEnd) }
        list.window.update(news.updated)
        list.window.remove(Set(news.asked).subtracting(news.updated.map(\.id)))
        if let newest = news.newest {
            list.window.replaceNewest(
                above: news.above, by: newest, isDescending: order.isDescending,
                isComplete: news.isComplete)
        }
        if list.isFollowing { selectNewest() }
        isCountBehind = true
        return more() + recount(context)
    }

    /// Counts again after new rows, but not too often; a delayed count is made at a later check.
    mutating func recount(_ context: Context) -> [Effect] {
        guard isCountBehind, list.count.exact != nil,
            context.now &- lastCountAt > ListScreen.countPeriodNs
        else { return [] }
        isCountBehind = false
        lastCountAt = context.now
        return countRows()
    }

    /// It is another store: its numbers refer to other exchanges.
    private mutating func beginAnew() -> [Effect] {
        marks = []
        list.isFollowing = order == .recorded
        return reload(order.isDescending || order.column != .time ? .first : .last)
    }

    func reread() -> [Effect] {
        let ids = window.visible.map(\.id)
        return [
            .work(
                Work("reread", on: .rows) { context in .reread(try context.rows.rows(Array(ids))) })
        ]
    }

    func countRows() -> [Effect] {
        filter.matchesEverything ? [] : [.work(Work.counting(filter).map { .counted($0) })]
    }

    // MARK: News

    /// The number of rows that arrived since the newest one was selected or followed.
    var newCount: Int64 {
        guard !list.isFollowing else { return 0 }
        return list.unseen.newCount(
            lastID: extent?.lastID, count: list.count.exact,
            isCounted: !filter.matchesEverything || !isOrderedByNumber)
    }

    /// Marks current rows on the screen as seen; otherwise only what was unknown before.
    mutating func lookForNews(isLooking: Bool) {
        let count = list.count.exact
        if list.isFollowing || isLooking && isNewestSelected {
            list.unseen.see(lastID: extent?.lastID, count: count)
        } else {
            list.unseen.learn(lastID: extent?.lastID, count: count)
        }
    }

    /// Whether new exchanges have higher numbers than the loaded ones.
    var isOrderedByNumber: Bool { extent?.isOrderedByNumber ?? true }

    private var isNewestSelected: Bool {
        hasNewest && !window.isEmpty && !list.isReading
            && window.cursor.selected == (order.isDescending ? 0 : window.rows.count - 1)
    }
}
