internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Reading rows: pages around the visible part.
extension ListScreen {
    /// Where reading starts over.
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
        loads = [.page]
        readShare = nil
        isStopped = false
        let (filter, order, count) = (filter, order, window.pageCount)
        let selected = window.selectedRow
        let work = Work<News>(Load.page.rawValue, on: .rows) { context, report in
            let extent = try context.rows.extent()
            if case .around = start, let selected, order.column == .time {
                return .page(
                    try ListScreen.around(selected, filter, order, count, context, extent) {
                        report(.reading($0))
                    })
            }
            var pace = ReportPace()
            let isFromEnd = start == .last || start == .around && !order.isDescending
            let page = try context.rows.page(
                RowRequest(
                    filter: filter, order: order, anchor: isFromEnd ? .last : .first, count: count)
            ) { if pace.isDue() { report(.reading($0)) } }
            return .page(
                FirstPage(
                    rows: page.rows, isStart: !isFromEnd || page.isEnd,
                    isEnd: isFromEnd || page.isEnd, selected: nil, isFromEnd: isFromEnd,
                    extent: extent))
        }
        return [
            .cancelWork(slot: Load.before.rawValue), .cancelWork(slot: Load.after.rawValue),
            .cancelWork(slot: Load.refresh.rawValue), .cancelWork(slot: "count"), .work(work),
        ]
    }

    static func around(
        _ row: ExchangeRow, _ filter: Filter, _ order: RowOrder, _ count: Int,
        _ context: WorkContext, _ extent: StoreExtent, report: (Double) -> Void
    ) throws -> FirstPage {
        var pace = ReportPace()
        let source = context.rows
        let olderShare = min(
            1, Double(max(0, row.id.rawValue)) / Double(max(1, extent.lastID)))
        let older = try source.page(
            RowRequest(filter: filter, order: .recorded, anchor: .before(row), count: count)
        ) { if pace.isDue() { report($0 * olderShare) } }
        let before = ExchangeID(rawValue: row.id.rawValue &- 1)
        let newer = try source.newer(than: before, filter, count: count) {
            if pace.isDue() { report(olderShare + $0 * (1 - olderShare)) }
        }
        // Numbers of several machines are not in the order of the list, so a row may be in both
        // pages.
        let known = Set(older.rows.map(\.id))
        let rows = older.rows + newer.filter { !known.contains($0.id) }
        let isNewest = newer.count < count
        let nearest = rows.contains { $0.id == row.id } ? row : newer.first ?? older.rows.last
        return FirstPage(
            rows: order.isDescending ? rows.reversed() : rows,
            isStart: order.isDescending ? isNewest : older.isEnd,
            isEnd: order.isDescending ? older.isEnd : isNewest, selected: nearest?.id,
            isFromEnd: true, extent: extent)
    }

    /// Reads more when the visible part comes near an end of the loaded rows.
    mutating func more() -> [Effect] {
        guard !loads.contains(.page) else { return [] }
        var effects: [Effect] = []
        if window.wantsBefore, !loads.contains(.before), let row = window.rows.first {
            effects.append(read(.before, .before(row)))
        }
        if window.wantsAfter, !loads.contains(.after), let row = window.rows.last {
            effects.append(read(.after, .after(row)))
        }
        return effects
    }

    private mutating func read(_ load: Load, _ anchor: RowRequest.Anchor) -> Effect {
        loads.insert(load)
        let request = RowRequest(
            filter: filter, order: order, anchor: anchor, count: window.pageCount)
        return .work(
            Work(load.rawValue, on: .rows) { context, report in
                var pace = ReportPace()
                let page = try context.rows.page(request) {
                    if pace.isDue() { report(.reading($0)) }
                }
                return load == .before ? .before(page) : .after(page)
            })
    }

    /// Aborts reading. Rows of another filter or order are removed.
    mutating func stop() -> [Effect] {
        readShare = nil
        if loads.contains(.page) {
            window.replace([], isStart: true, isEnd: true)
            isBehind = false
            isStopped = true
        }
        if !count.isKnown { count = .atLeast(count.found) }
        let slots = loads.map(\.rawValue) + ["count", Deletion.slot]
        loads = []
        return slots.map { .cancelWork(slot: $0) }
    }

    // MARK: Results

    /// Takes over what was read, and checks again if the store changed meanwhile.
    mutating func take(loaded news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page: loads.remove(.page)
        case .before: loads.remove(.before)
        case .after: loads.remove(.after)
        default: loads.remove(.refresh)
        }
        if loads.isDisjoint(with: [.page, .before, .after]) { readShare = nil }
        return show(loaded: news, context) + (hasNews ? refresh() : [])
    }

    private mutating func show(loaded news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page(let page): return take(page, context)
        case .before(let page): window.prepend(page.rows, isStart: page.isEnd)
        case .after(let page): window.append(page.rows, isEnd: page.isEnd)
        case .changed(let change): return take(change, context)
        case .reordered(let page): return take(reordered: page, context)
        default: return more() + recount(context)
        }
        return more()
    }

    private mutating func take(_ page: FirstPage, _ context: Context) -> [Effect] {
        hasRows = true
        isBehind = false
        problem = nil
        extent = page.extent
        window.replace(page.rows, isStart: page.isStart, isEnd: page.isEnd)
        if let id = page.selected {
            window.select(id)
        } else if page.isFromEnd {
            window.selectLast()
        }
        let pages = more()
        isCountBehind = false
        if filter.matchesEverything {
            count = .exactly(page.extent.exchangeCount)
        } else if page.isStart, page.isEnd {
            count = .exactly(Int64(page.rows.count))
            lastCountAt = context.now
        } else {
            // The visible rows are read first: counting takes longer.
            return pages + countRows()
        }
        return pages
    }
}
