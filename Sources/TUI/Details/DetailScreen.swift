internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation

/// One exchange: its facts, its messages and their bodies, in tabs.
struct DetailScreen: ScreenModel {
    typealias Answer = Filter

    enum News: Sendable {
        /// The exchange was read; nil if it was deleted.
        case read(DetailSubject?)
        case neighbour(DetailWorks.Neighbour)
        case advanced(DetailWorks.Advanced)
        case progress(DetailWorks.Progress)
        case found(DetailWorks.Found)
        case compared(ChangeWork.Result)
        case edit(EditRequest)
        case row(RowNews)

        // The tab Messages.
        case part(MessageWorks.Part, RowLoad, isFinal: Bool)
        /// The number of messages that match the filter, intermediate or final.
        case counting(Int64)
        case counted(MessageCount)
        case content(MessageContent)
        case foundMessage(MessageSearch.Found)
        case tally(MessageTally)
        case filtered(MessageFilter)
    }

    /// How many bytes are examined while the user waits for a key.
    static let keyByteBudget = 512 << 10
    /// The number of rows that are not content: title, tabs, information.
    static let barCount = 3

    private(set) var row: ExchangeRow
    /// The filter of the list that the exchange was chosen from.
    var filter: Filter
    let order: RowOrder
    var tab = DetailTab.overview
    private(set) var subject: DetailSubject?
    private(set) var problem: String?
    var pages: [DetailTab: DetailPage] = [:]
    var rawMessage = StoredMessage.response
    var chosen: [StoredMessage: String] = [:]
    var typing: TextField?
    var needle: SearchNeedle?
    var mindsCase = false
    /// Whether the text in the list's filter was searched for in the bodies.
    private var hasSought = false
    var progress: DetailWorks.Progress?
    /// Whether to go to the end once it is found.
    var wantsEnd = false
    private var isReading = false
    private var isStale = false

    /// The comparison of received and forwarded data, as far as it is done.
    var changes: ChangeWork.Result?

    // The tab Messages.
    var messages: MessageList?
    var shownMessage: ShownMessage?
    /// Whether keys go to the message and not to the list.
    var isOnMessage = false
    /// Whether its bytes are shown instead of their meaning.
    var showsMessageBytes = false
    var chosenForMessages: [MessageRecord.Kind: String] = [:]
    /// A search result that is not shown yet.
    var soughtMessage: Int64?
    var tally = MessageTally()

    init(_ row: ExchangeRow, filter: Filter = .everything, order: RowOrder = .recorded) {
        self.row = row
        self.filter = filter
        self.order = order
    }

    /// The same exchange and tab, on a screen of its own.
    var alone: DetailScreen {
        var screen = DetailScreen(row, filter: filter, order: order)
        screen.tab = tab
        return screen
    }

    var title: String { "Exchange \(row.idText)" }

    var scopes: Set<Action.Scope> {
        guard typing == nil else { return [.typing] }
        let own: Set<Action.Scope> = tab == .messages ? [.detail, .messages] : [.detail]
        return own.union([.everywhere, .moving, .alone])
    }

    var hints: [KeyHint] {
        [
            KeyHint(.enter, "search"), .back,
            KeyHint(.alt("c"), mindsCase ? "any case" : "match case"), KeyHint(Key(.up), "recall"),
        ]
    }

    /// The available tabs. Messages, changes, certificates and tokens have tabs only if there are
    /// any, or if the tab was chosen before.
    var tabs: [DetailTab] {
        DetailTab.allCases.filter { other in
            switch other {
            case .messages: hasMessages || tab == other
            case .changes: hasChanges || tab == other
            case .security: hasSecurity || tab == other
            default: true
            }
        }
    }

    private var hasSecurity: Bool {
        guard let subject else { return false }
        return !subject.certificates.isEmpty || !subject.tokens.isEmpty
    }

    var page: DetailPage {
        get { page(tab) }
        set { pages[tab] = newValue }
    }

    func page(_ tab: DetailTab) -> DetailPage { pages[tab] ?? DetailPage(head: []) }

    mutating func appear(_ context: Context) -> [Effect] {
        if subject == nil { return read() }
        fitMessages(context)
        return more(context)
    }

    // MARK: Reading

    private mutating func read() -> [Effect] {
        guard !isReading else {
            isStale = true
            return []
        }
        isReading = true
        isStale = false
        return [.work(DetailWorks.read(row.id, again: subject?.row.id == row.id ? subject : nil))]
    }

    mutating func show(_ row: ExchangeRow) -> [Effect] {
        self.row = row
        subject = nil
        pages = [:]
        problem = nil
        isReading = false
        hasSought = false
        changes = nil
        return stop() + read()
    }

    /// Cancels everything that is done for the exchange.
    mutating func stop() -> [Effect] {
        let slots =
            DetailWorks.slots + [MessageTally.slot, ChangeWork.slot] + forgetMessages()
        return slots.map { .cancelWork(slot: $0) }
    }

    private mutating func take(_ subject: DetailSubject?, _ context: Context) -> [Effect] {
        isReading = false
        guard let subject else {
            problem = "the exchange is no longer in the store"
            return []
        }
        guard subject.row.id == row.id else { return read() }
        row = subject.row
        self.subject = subject
        problem = nil
        let contents = DetailContents(subject: subject, tally: tally, clock: context.clock)
        for tab in DetailTab.allCases where tab != .messages && tab != .changes {
            refresh(tab, contents)
        }
        let opening = open(tab, context)
        return (isStale ? read() : []) + opening + more(context) + seekOnce() + addUp()
    }

    /// Searches once for the text in the list's filter.
    private mutating func seekOnce() -> [Effect] {
        guard !hasSought else { return [] }
        hasSought = true
        return seek()
    }

    /// Rebuilds a page, or replaces the lines before the body it already shows.
    private mutating func refresh(_ tab: DetailTab, _ contents: DetailContents) {
        let shown = shown(tab, contents.subject)
        if var page = pages[tab], page.shown?.source === shown?.source || page.isPart {
            page.replaceHead(contents.lines(tab))
            pages[tab] = page
        } else if let shown {
            let viewers: [any BodyViewer.Type] =
                switch tab {
                case .raw: [BodyViewers.text]
                case .hex: [BodyViewers.hex]
                default: BodyViewers.suited(to: shown.facts)
                }
            pages[tab] = DetailPage(
                head: contents.lines(tab), shown, viewers: viewers,
                preferred: shown.message.flatMap { chosen[$0] })
        } else {
            let pager = pages[tab]?.pager
            pages[tab] = DetailPage(head: contents.lines(tab))
            if let pager { pages[tab]?.pager = pager }
        }
    }

    /// The body that a tab shows, or nil if it shows none.
    private func shown(_ tab: DetailTab, _ subject: DetailSubject) -> DetailPage.Shown? {
        switch tab {
        case .overview, .cookies, .timeline, .messages, .changes, .security: return nil
        case .request, .response:
            let body = subject.body(tab == .request ? .request : .response)
            guard body.facts.keptByteCount > 0 else { return nil }
            return DetailPage.Shown(
                facts: body.facts, source: body.source, loaded: body.source, message: body.message)
        case .raw, .hex:
            let body = subject.body(rawMessage)
            // Kept as long as the exchange, because viewers cache what they found.
            if let page = pages[tab]?.shown, page.message == rawMessage, page.loaded === body.raw {
                return page
            }
            let head = rawMessage == .request ? subject.requestHead : subject.responseHead
            let source = JoinedBody(head ?? [], body.raw)
            let facts = BodyFacts(
                contentType: "text/plain", passedByteCount: 0, keptByteCount: 0,
                beginning: source.read(from: 0, byteCount: BodyFacts.lookByteCount))
            return DetailPage.Shown(
                facts: facts, source: source, loaded: body.raw, message: rawMessage)
        }
    }

    /// Shows the other message on the tabs that show a message as it was received.
    mutating func toggleRawMessage(_ context: Context) -> [Effect] {
        rawMessage = rawMessage == .request ? .response : .request
        guard let subject else { return [] }
        let contents = DetailContents(subject: subject, tally: tally, clock: context.clock)
        for tab in [DetailTab.raw, .hex] {
            pages[tab] = nil
            refresh(tab, contents)
        }
        return more(context)
    }

    // MARK: News

    static func notice(of news: News) -> Notice? {
        guard case .row(let news) = news else { return nil }
        return news.notice
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .read(let subject): return take(subject, context)
        case .neighbour(let neighbour): return take(neighbour)
        case .advanced(let advanced): return take(advanced, context)
        case .progress(let progress): self.progress = progress
        case .found(let found): return take(found, context)
        case .compared(let compared): return take(compared, context)
        case .edit(let request): return [.edit(request)]
        case .row(let news): return receive(news)
        case .part, .counting, .counted, .content, .foundMessage, .tally, .filtered:
            return receive(messages: news, context)
        }
        return []
    }

    private mutating func receive(_ news: RowNews) -> [Effect] {
        switch news {
        case .copied(let text): return [.copy(text)]
        case .annotate(let change): return [RowActions.annotate(change).map { .row($0) }]
        case .changed(let notice): return [.notify(notice)] + read()
        case .focused(let filter): return [.answer(filter)]
        }
    }

    private mutating func take(_ neighbour: DetailWorks.Neighbour) -> [Effect] {
        if let row = neighbour.row { return show(row) }
        return [.notify(.noExchange(isNext: neighbour.isNext))]
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        if let effects = fail(messages: slot, words, context) { return effects }
        progress = nil
        if slot == "subject" {
            isReading = false
            problem = words
            return []
        }
        return [.notify(.problem(words))]
    }

    mutating func storeChanged(_ context: Context) -> [Effect] {
        read() + (tab == .messages ? openMessages(context) : [])
    }
}

extension Notice {
    /// There is no exchange after the last one, or before the first one.
    static func noExchange(isNext: Bool) -> Notice {
        .information("this is the \(isNext ? "last" : "first") one")
    }
}
