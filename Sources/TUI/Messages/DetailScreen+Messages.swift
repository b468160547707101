internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The tab Messages: a list, and the message that is selected in it.
extension DetailScreen {
    /// Whether there are messages, or may be.
    var hasMessages: Bool { row.messageCount != nil || subject?.lastMessage != nil }

    /// Opens the list of messages where it is not open yet, and reads what came since.
    mutating func openMessages(_ context: Context) -> [Effect] {
        guard subject != nil, hasMessages else { return [] }
        if messages == nil {
            messages = MessageList(
                row.id, isActive: row.state == .active, hidesPings: context.habits.hidesPings)
            fitMessages(context)
            let isActive = row.state == .active
            return list(context) { $0.begin(isActive ? .last : .first) }
        }
        fitMessages(context)
        return list(context) { $0.refresh() }
    }

    /// Says how much room there is.
    mutating func fitMessages(_ context: Context) {
        let count = messageLayout(context).listedRowCount
        messages?.fit(rows: count)
    }

    func messageLayout(_ context: Context) -> MessageLayout {
        MessageLayout(
            Size(
                columns: context.size.columns, rows: context.size.rows - DetailScreen.barCount),
            isOnMessage: isOnMessage)
    }

    /// Changes the list, and shows the message that is selected in it then.
    private mutating func list(
        _ context: Context, _ change: (inout MessageList) -> [Effect]
    ) -> [Effect] {
        guard var list = messages else { return [] }
        let effects = change(&list)
        messages = list
        return effects + showSelected(context)
    }

    // MARK: What keys do

    /// What keys do on this tab; nil for those that do the same on every tab.
    mutating func performOnMessages(_ action: ActionID, _ context: Context) -> [Effect]? {
        guard tab == .messages, let messages else { return nil }
        switch action {
        case .nextMessage: return list(context) { $0.move(by: 1) }
        case .previousMessage: return list(context) { $0.move(by: -1) }
        case .followMessages: return list(context) { $0.toggleFollowing() }
        case .filterMessages: return [.open(MessageFilterBar(text: messages.sieve.text))]
        case .hidePings: return togglePings(context)
        case .clearMessageFilter where messages.sieve.isFiltered:
            return filterMessages(by: .everything, context)
        case .clearMessageFilter:
            // It is half a page up everywhere else.
            return perform(.halfPageUp, context)
        case .otherMessage: return toggleBytes(context)
        case .cancel: return stopMessages(context)
        case .close: return closeMessage()
        default: return isOnMessage ? nil : performOnList(action, context)
        }
    }

    /// What keys do while the list has them.
    private mutating func performOnList(_ action: ActionID, _ context: Context) -> [Effect]? {
        let rows = messageLayout(context).listedRowCount
        switch action {
        case .up: return list(context) { $0.move(by: -1) }
        case .down: return list(context) { $0.move(by: 1) }
        case .pageUp: return list(context) { $0.move(by: -rows) }
        case .pageDown: return list(context) { $0.move(by: rows) }
        case .halfPageUp: return list(context) { $0.move(by: -max(1, rows / 2)) }
        case .halfPageDown: return list(context) { $0.move(by: max(1, rows / 2)) }
        case .first: return list(context) { $0.jump(toFirst: true) }
        case .last: return list(context) { $0.jump(toFirst: false) }
        case .unfold:
            isOnMessage = messages?.selected != nil
            fitMessages(context)
            return more(context)
        case .nextMatch: return searchMessages(.forward)
        case .previousMatch: return searchMessages(.backward)
        case .copyLine: return copyMessageLine()
        default: return nil
        }
    }

    private func copyMessageLine() -> [Effect] {
        guard let selected = messages?.selected else { return [] }
        return [.copy(CopiedText(name: "line", MessageCells.text(selected, messages?.grpc)))]
    }

    private mutating func togglePings(_ context: Context) -> [Effect] {
        guard var sieve = messages?.sieve else { return [] }
        sieve.hidesPings.toggle()
        var habits = context.habits
        habits.hidesPings = sieve.hidesPings
        return [.remember(habits)] + list(context) { $0.list(through: sieve) }
    }

    /// Lists what passes a filter. What is selected stays selected where it passes, too.
    private mutating func filterMessages(
        by filter: MessageFilter, _ context: Context
    ) -> [Effect] {
        guard let sieve = messages?.sieve.filtered(by: filter) else { return [] }
        return list(context) { $0.list(through: sieve) }
    }

    private mutating func stopMessages(_ context: Context) -> [Effect] {
        progress = nil
        wantsEnd = false
        return [.cancelWork(slot: "more"), .cancelWork(slot: "search")]
            + list(context) { $0.stop() }
    }

    /// Goes back from the message to the list; nil where the list has the keys already.
    private mutating func closeMessage() -> [Effect]? {
        guard isOnMessage, !page.isPart else { return nil }
        isOnMessage = false
        // Any effect says that something was closed.
        return [.cancelWork(slot: "search")]
    }

    // MARK: The selected message

    /// Begins to show what is selected where that changed.
    private mutating func showSelected(_ context: Context) -> [Effect] {
        guard let selected = messages?.selected else {
            guard shownMessage != nil else { return [] }
            shownMessage = nil
            isOnMessage = false
            pages[.messages] = nil
            return [.cancelWork(slot: "more"), .cancelWork(slot: DetailScreen.messageSlot)]
        }
        guard selected.position != shownMessage?.row.position else { return [] }
        var shown = ShownMessage(row: selected, isSought: soughtMessage == selected.position)
        soughtMessage = nil
        let isWhole = Int64(selected.octets.count) == selected.byteCount
        if isWhole, !MessageContent.hasMeaning(selected.kind) {
            shown.content = MessageContent(selected)
        }
        shownMessage = shown
        showMessage(context)
        let cancelled: [Effect] = [
            .cancelWork(slot: "more"), .cancelWork(slot: DetailScreen.messageSlot),
        ]
        return cancelled
            + (shown.content == nil ? [read(selected)] : more(context) + seekInMessage())
    }

    static let messageSlot = "messages.one"

    private func read(_ message: MessageRow) -> Effect {
        let id = row.id
        return .work(
            Work(DetailScreen.messageSlot, on: .rows, isQuiet: true) { context in
                guard let row = try MessageScan.whole(message.position, of: id, context) else {
                    throw WorkFailure("the message is not in the store any more")
                }
                return MessageContent(
                    row, row.kind == .grpc ? try context.exchanges.grpcReading(of: id) : nil)
            })
    }

    /// All of the selected message was read.
    mutating func take(_ content: MessageContent, _ context: Context) -> [Effect] {
        guard shownMessage?.row.position == content.row.position else { return [] }
        shownMessage?.content = content
        showMessage(context)
        return more(context) + seekInMessage()
    }

    /// Makes the page of the selected message.
    private mutating func showMessage(_ context: Context) {
        guard let shownMessage else { return }
        let former = pages[.messages]
        var page: DetailPage
        if let content = shownMessage.content {
            page = messagePage(content, (former?.generation ?? 0) + 1, context.clock)
        } else {
            page = DetailPage(
                head: [ViewerLine("reading…", .dim)], generation: (former?.generation ?? 0) + 1)
        }
        if former?.pager.wraps == false { page.pager.toggleWrapping() }
        pages[.messages] = page
    }

    private func messagePage(
        _ content: MessageContent, _ generation: Int, _ clock: WallTime
    ) -> DetailPage {
        let lines = MessageLines(
            content: content, startedAtNs: row.startedAtNs, clock: clock
        ).lines()
        let octets = content.octets(asBytes: showsMessageBytes)
        guard !octets.isEmpty else { return DetailPage(head: lines, generation: generation) }
        let facts = content.facts(asBytes: showsMessageBytes)
        let viewers =
            content.row.kind == .close ? [HexViewer.self] : BodyViewers.suited(to: facts)
        return DetailPage(
            head: lines,
            DetailPage.Shown(
                facts: facts, source: LoadedBody(octets), loaded: nil, message: nil),
            viewers: viewers, preferred: chosenForMessages[content.row.kind],
            generation: generation)
    }

    /// Shows what the message means, or its bytes as they came.
    private mutating func toggleBytes(_ context: Context) -> [Effect] {
        guard shownMessage?.content?.meaning != nil else {
            return [.notify(.information("its bytes are what it says"))]
        }
        showsMessageBytes.toggle()
        showMessage(context)
        return [.cancelWork(slot: "more")] + more(context)
    }

    // MARK: What comes

    /// News of a work of the list; nil where it is of another one.
    mutating func receiveForMessages(_ news: ScreenNews, _ context: Context) -> [Effect]? {
        switch news {
        case .result(let slot, let part as MessageWorks.Part):
            return list(context) { $0.take(part, slot, isFinal: true) }
        case .progress(let slot, let part as MessageWorks.Part):
            return list(context) { $0.take(part, slot, isFinal: false) }
        case .result(_, let count as MessageCount): messages?.take(count)
        case .progress(MessageList.countSlot, let number as Int64): messages?.takeCounted(number)
        case .result(_, let content as MessageContent): return take(content, context)
        case .result(_, let found as MessageSearch.Found): return take(found, context)
        case .result(_, let tally as MessageTally): return take(tally, context)
        case .progress(_, let tally as MessageTally): return take(tally, context)
        case .failure(MessageTally.slot, _): tally.isRunning = false
        case .failure(let slot, let words) where slot.hasPrefix("messages."):
            return list(context) { $0.fail(slot, words) }
        case .answer(let filter as MessageFilter): return filterMessages(by: filter, context)
        default: return nil
        }
        return []
    }

    // MARK: Searching

    /// Looks for the next message that says what is searched for, or the one before.
    mutating func searchMessages(
        _ direction: BodySearch.Direction, fromEnd: Bool = false
    ) -> [Effect] {
        guard let needle else { return [.notify(.information("/ searches messages"))] }
        let sieve = messages?.sieve ?? MessageSieve(hidesPings: false)
        let start = fromEnd ? nil : messages?.selected?.position
        guard let search = MessageSearch(row.id, sieve, needle, direction, from: start) else {
            return []
        }
        progress = DetailWorks.Progress(byteCount: 0)
        return [.work(search.work)]
    }

    private mutating func take(_ found: MessageSearch.Found, _ context: Context) -> [Effect] {
        progress = nil
        guard let position = found.position else {
            return [.notify(.information("“\(needle?.text ?? "")” is in no message"))]
        }
        tab = .messages
        let wrapped = found.isWrapped ? ", from the other end" : ""
        let notice: [Effect] = [.notify(.information("message \(position)\(wrapped)"))]
        if messages == nil {
            messages = MessageList(row.id, isActive: false, hidesPings: false)
            fitMessages(context)
        }
        if shownMessage?.row.position == position { return notice + seekInMessage(again: true) }
        soughtMessage = position
        return list(context) { $0.go(to: position) } + notice
    }

    /// Finds in the selected message what was searched for.
    private mutating func seekInMessage(again: Bool = false) -> [Effect] {
        guard shownMessage?.isSought == true || again, let subject, let needle,
            let page = pages[.messages], page.shown != nil
        else { return [] }
        shownMessage?.isSought = false
        let search = ExchangeSearch(
            needle: needle, direction: .forward, pages: [(.messages, page)])
        let stop = SearchStop(tab: .messages, extent: .body(0..<Int.max), isWrapped: false)
        return [.work(DetailWorks.search(search, [stop], subject, isOwn: true))]
    }

    // MARK: The mouse

    /// What the mouse does on the list; nil beside it.
    mutating func receiveOnList(_ mouse: MouseEvent, _ context: Context) -> [Effect]? {
        guard tab == .messages, messages != nil else { return nil }
        var position = mouse.position
        position.row -= 2
        guard messageLayout(context).list.contains(position) else {
            isOnMessage = isOnMessage || mouse.kind == .press && shownMessage != nil
            return nil
        }
        switch mouse.kind {
        case .scrollUp: return list(context) { $0.scroll(by: -3) }
        case .scrollDown: return list(context) { $0.scroll(by: 3) }
        case .press:
            isOnMessage = false
            return list(context) { $0.select(row: position.row - 1)?.effects ?? [] }
        case .drag, .release: return []
        }
    }

    // MARK: Sums

    /// Goes on adding up the messages where the tab shows that.
    mutating func addUp() -> [Effect] {
        guard tab == .overview, !tally.isRunning, let last = subject?.lastMessage,
            last > tally.through
        else { return [] }
        tally.isRunning = true
        return [.work(tally.work(row.id))]
    }

    private mutating func take(_ tally: MessageTally, _ context: Context) -> [Effect] {
        self.tally = tally
        if let subject {
            let contents = DetailContents(subject: subject, tally: tally, clock: context.clock)
            pages[.overview]?.replaceHead(contents.lines(.overview))
        }
        return addUp()
    }

    /// Lets go of the messages of an exchange; the works that read them.
    mutating func forgetMessages() -> [String] {
        messages = nil
        shownMessage = nil
        isOnMessage = false
        soughtMessage = nil
        tally = MessageTally()
        return [DetailScreen.messageSlot, MessageList.countSlot]
            + MessageList.Load.allCases.map(\.rawValue)
    }
}
