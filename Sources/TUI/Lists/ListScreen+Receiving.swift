internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydOperations

/// The news that the list receives from work and dialogs.
extension ListScreen {
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
        /// The current states of loaded rows.
        case reread([ExchangeRow])
        /// The number of rows that match the filter, intermediate or final.
        case counting(Int64)
        case counted(Int64)
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
    }

    static func notice(of news: News) -> Notice? {
        switch news {
        case .deleted(let notice): notice
        case .row(let news): news.notice
        default: nil
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        let effects = take(news, context)
        lookForNews(isLooking: false)
        return effects + readTimelines()
    }

    private mutating func take(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .page, .before, .after, .changed, .reordered, .unchanged:
            return take(loaded: news, context)
        case .reading(let share): readShare = share
        case .counting(let found): count = .counting(found)
        case .counted(let found):
            count = .exactly(found)
            lastCountAt = context.now
            return more()
        case .reread(let rows):
            window.update(rows)
            return more()
        case .timelines(let news):
            waterfall?.take(news)
            return more()
        case .question(let question): return ask(question, context)
        case .decided(let answer): return take(answer)
        case .deleted(let notice): return [.notify(notice)] + refresh()
        case .filtered(let answer): return take(answer)
        case .saved(let answer): return take(answer)
        case .named(let name): return take(name)
        case .columns(let columns): return take(columns)
        case .sorted(let order): return sort(order)
        case .focused(let filter): return apply(filter)
        case .row(let news): return receive(news, context)
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        defer { lookForNews(isLooking: false) }
        if let load = Load(rawValue: slot) { loads.remove(load) }
        if slot == Waterfall.slot { waterfall?.fail() }
        guard hasRows || slot != Load.page.rawValue else {
            problem = words
            return []
        }
        return [.notify(.problem(words))] + readTimelines()
    }

    mutating func storeChanged(_ context: Context) -> [Effect] {
        waterfall?.retry()
        let effects = refresh()
        lookForNews(isLooking: false)
        return effects + readTimelines()
    }
}
