internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// One exchange: what is known of it, its messages and their bodies, tab by tab.
struct DetailScreen: ScreenModel {
    /// A filter for the list below.
    typealias Answer = Filter

    enum News: Sendable {
        /// The exchange was read; nil where it is gone.
        case read(DetailSubject?)
        case neighbour(DetailWorks.Neighbour)
        /// A viewer found more lines.
        case advanced(DetailWorks.Advanced)
        /// How far a search or a look for lines is.
        case progress(DetailWorks.Progress)
        case found(DetailWorks.Found)
        case compared(ChangeWork.Result)
        /// A body for the user's editor.
        case edit(EditRequest)
        case row(RowNews)

        // The tab Messages.
        case part(MessageWorks.Part, MessageList.Load, isFinal: Bool)
        /// So many messages pass the filter so far, and in all.
        case counting(Int64)
        case counted(MessageCount)
        case content(MessageContent)
        case foundMessage(MessageSearch.Found)
        case tally(MessageTally)
        case filtered(MessageFilter)
    }

    /// Octets that are looked at while a person waits for a key.
    static let keyByteBudget = 512 << 10
    /// Rows that are not content: title, tabs, information.
    static let barCount = 3

    private(set) var row: ExchangeRow
    /// The list that the exchange was chosen from.
    let filter: Filter
    let order: RowOrder
    var tab = DetailTab.overview
    private(set) var subject: DetailSubject?
    /// Why there is nothing to show.
    private(set) var problem: String?
    var pages: [DetailTab: DetailPage] = [:]
    /// The message that Raw and Hex show.
    var rawMessage = StoredMessage.response
    /// The viewers that were chosen, by message.
    var chosen: [StoredMessage: String] = [:]
    /// What is being typed to be searched for.
    var typing: TextField?
    var needle: SearchNeedle?
    /// Whether capitals and small letters are told apart in what is typed.
    var mindsCase = false
    /// Whether what the list's filter found in bodies was looked for.
    private var hasSought = false
    /// How far a search or a look for lines is.
    var progress: DetailWorks.Progress?
    /// Whether the end is gone to when it is found.
    var wantsEnd = false
    private var isReading = false
    private var isStale = false

    /// What came beside what went, as far as it was compared.
    var changes: ChangeWork.Result?

    // The tab Messages.
    var messages: MessageList?
    var shownMessage: ShownMessage?
    /// Whether the keys are those of the message, not those of the list.
    var isOnMessage = false
    /// Whether its bytes are shown in place of what they mean.
    var showsMessageBytes = false
    /// The viewers that were chosen, by the kind of message.
    var chosenForMessages: [MessageRecord.Kind: String] = [:]
    /// Where a search led that is not shown yet.
    var soughtMessage: Int64?
    /// What the messages add up to.
    var tally = MessageTally()

    /// The exchange of a row of a list.
    init(_ row: ExchangeRow, filter: Filter = .everything, order: RowOrder = .recorded) {
        self.row = row
        self.filter = filter
        self.order = order
    }

    var title: String { "Exchange \(row.id)" }

    var places: Set<Action.Place> {
        guard typing == nil else { return [.typing] }
        let own: Set<Action.Place> = tab == .messages ? [.detail, .messages] : [.detail]
        return own.union([.everywhere, .moving])
    }

    var hints: [KeyHint] {
        [
            KeyHint(.enter, "search"), .back,
            KeyHint(.alt("c"), mindsCase ? "any case" : "mind case"), KeyHint(Key(.up), "former"),
        ]
    }

    /// The tabs there are: those of messages, changes, certificates and tokens where there are
    /// some, or it was chosen before.
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

    /// The page that is shown.
    var page: DetailPage {
        get { pages[tab] ?? DetailPage(head: []) }
        set { pages[tab] = newValue }
    }

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

    /// Shows another exchange with the same tab.
    private mutating func show(_ row: ExchangeRow) -> [Effect] {
        self.row = row
        subject = nil
        pages = [:]
        problem = nil
        isReading = false
        hasSought = false
        changes = nil
        let slots = ["more", "search", MessageTally.slot, ChangeWork.slot] + forgetMessages()
        return slots.map { .cancelWork(slot: $0) } + read()
    }

    private mutating func take(_ subject: DetailSubject?, _ context: Context) -> [Effect] {
        isReading = false
        guard let subject else {
            problem = "the exchange is not in the store any more"
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

    /// Looks once for what the list's filter found in the bodies.
    private mutating func seekOnce() -> [Effect] {
        guard !hasSought else { return [] }
        hasSought = true
        return seek()
    }

    /// Makes a page anew, or gives it new lines in front of the body it shows already.
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

    /// The body that a tab shows; nil where it shows none.
    private func shown(_ tab: DetailTab, _ subject: DetailSubject) -> DetailPage.Shown? {
        switch tab {
        case .overview, .cookies, .timeline, .messages, .changes, .security: return nil
        case .request, .response:
            let body = subject.body(tab == .request ? .request : .response)
            guard body.facts.keptByteCount > 0 else { return nil }
            return DetailPage.Shown(
                facts: body.facts, source: body.source, loaded: body.source,
                message: body.message)
        case .raw, .hex:
            let body = subject.body(rawMessage)
            // Kept while the exchange is: viewers remember what they found in it.
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

    /// Shows the other message on the tabs that show one as it was received.
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
        let which = neighbour.isNext ? "last" : "first"
        return [.notify(.information("this is the \(which) one"))]
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
