internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation

/// The tab Messages: a list, and the message selected in it.
extension DetailScreen {
    /// Whether there are messages, or may be.
    var hasMessages: Bool { row.messageCount != nil || subject?.lastMessage != nil }

    /// Opens the list of messages if it is not open yet, and reads new messages.
    mutating func openMessages(_ context: Context) -> [Effect] {
        guard subject != nil, hasMessages else { return [] }
        if messages == nil {
            messages = MessageList(
                row.id, isActive: row.state == .active, hidesPings: context.remembered.hidesPings)
            fitMessages(context)
            let isActive = row.state == .active
            return list(context) { $0.begin(isActive ? .last : .first) }
        }
        fitMessages(context)
        return list(context) { $0.refresh() }
    }

    mutating func fitMessages(_ context: Context) {
        let count = messageLayout(context).listedRowCount
        messages?.fit(count)
    }

    func messageLayout(_ context: Context) -> MessageLayout {
        MessageLayout(
            Size(columns: context.size.columns, rows: context.size.rows - DetailScreen.barCount),
            isOnMessage: isOnMessage)
    }

    /// Changes the list, and shows the message that is selected afterwards.
    mutating func list(_ context: Context, _ change: (inout MessageList) -> [Effect]) -> [Effect] {
        guard var list = messages else { return [] }
        let effects = change(&list)
        messages = list
        return effects + showSelected(context)
    }

    // MARK: Actions

    /// Handles an action on this tab; returns nil for actions that work the same on every tab.
    mutating func performOnMessages(_ action: ActionID, _ context: Context) -> [Effect]? {
        guard tab == .messages, let messages else { return nil }
        switch action {
        case .nextMessage: return list(context) { $0.move(.lines(1)) }
        case .previousMessage: return list(context) { $0.move(.lines(-1)) }
        case .followMessages: return list(context) { $0.toggleFollowing() }
        case .filterMessages:
            return [.ask(MessageFilterBar(text: messages.matcher.text)) { .filtered($0) }]
        case .hidePings: return togglePings(context)
        case .clearMessageFilter where messages.matcher.isFiltered:
            return filterMessages(by: .everything, context)
        case .clearMessageFilter:
            // Everywhere else this key moves half a page up.
            return perform(.halfPageUp, context)
        case .otherMessage: return toggleBytes(context)
        case .cancel: return stopMessages(context)
        case .close: return closeMessage()
        default: return isOnMessage ? nil : performOnList(action, context)
        }
    }

    /// Handles an action while keys go to the list.
    private mutating func performOnList(_ action: ActionID, _ context: Context) -> [Effect]? {
        let rows = messageLayout(context).listedRowCount
        if let movement = Movement(action, page: rows, half: rows / 2) {
            return list(context) { $0.move(movement) }
        }
        switch action {
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
        guard var matcher = messages?.matcher else { return [] }
        matcher.hidesPings.toggle()
        var remembered = context.remembered
        remembered.hidesPings = matcher.hidesPings
        return [.remember(remembered)] + list(context) { $0.list(through: matcher) }
    }

    /// Lists the messages that match a filter. The selection stays if the message matches.
    mutating func filterMessages(by filter: MessageFilter, _ context: Context) -> [Effect] {
        guard let matcher = messages?.matcher.filtered(by: filter) else { return [] }
        return list(context) { $0.list(through: matcher) }
    }

    private mutating func stopMessages(_ context: Context) -> [Effect] {
        progress = nil
        wantsEnd = false
        return [.cancelWork(slot: "more"), .cancelWork(slot: "search")]
            + list(context) { $0.stop() }
    }

    /// Moves the keys from the message to the list; returns nil if they go to the list already.
    private mutating func closeMessage() -> [Effect]? {
        guard isOnMessage, !page.isPart else { return nil }
        isOnMessage = false
        // A non-empty result says that something was closed.
        return [.cancelWork(slot: "search")]
    }

    // MARK: Results

    mutating func receive(messages news: News, _ context: Context) -> [Effect] {
        switch news {
        case .part(let part, let load, let isFinal):
            return list(context) { $0.take(part, load, isFinal: isFinal) }
        case .counting(let number): messages?.takeCounted(number)
        case .counted(let count): messages?.take(count)
        case .content(let content): return take(content, context)
        case .foundMessage(let found): return take(found, context)
        case .tally(let tally): return take(tally, context)
        case .filtered(let filter): return filterMessages(by: filter, context)
        default: break
        }
        return []
    }

    /// Handles a failed work of the tab; returns nil if the work belongs elsewhere.
    mutating func fail(messages slot: String, _ words: String, _ context: Context) -> [Effect]? {
        if slot == MessageTally.slot {
            tally.isRunning = false
            return []
        }
        guard slot.hasPrefix("messages.") else { return nil }
        return list(context) { $0.fail(slot, words) }
    }

    // MARK: Searching

    /// Searches for the next or previous message that contains the search text.
    mutating func searchMessages(
        _ direction: BodySearch.Direction, fromEnd: Bool = false
    ) -> [Effect] {
        guard let needle else { return [.notify(.information("/ searches messages"))] }
        let matcher = messages?.matcher ?? MessageMatcher(hidesPings: false)
        let start = fromEnd ? nil : messages?.selected?.position
        guard let search = MessageSearch(row.id, matcher, needle, direction, from: start) else {
            return []
        }
        progress = DetailWorks.Progress(byteCount: 0)
        return [.work(search.work)]
    }

    private mutating func take(_ found: MessageSearch.Found, _ context: Context) -> [Effect] {
        progress = nil
        guard let position = found.position else {
            return [.notify(.information("“\(needle?.text ?? "")” is not in any message"))]
        }
        tab = .messages
        let wrapped = found.isWrapped ? ", continued from the other end" : ""
        let notice: [Effect] = [.notify(.information("message \(position)\(wrapped)"))]
        if messages == nil {
            messages = MessageList(row.id, isActive: false, hidesPings: false)
            fitMessages(context)
        }
        if shownMessage?.row.position == position { return notice + seekInMessage(again: true) }
        soughtMessage = position
        return list(context) { $0.go(to: position) } + notice
    }

    // MARK: The mouse

    /// Handles the mouse on the list; returns nil outside of it.
    mutating func receiveOnList(_ mouse: MouseEvent, _ context: Context) -> [Effect]? {
        guard tab == .messages, messages != nil else { return nil }
        var mouse = mouse
        mouse.position.row -= 2
        guard messageLayout(context).list.contains(mouse.position) else {
            isOnMessage = isOnMessage || mouse.kind == .press && shownMessage != nil
            return nil
        }
        // Below the headings.
        mouse.position.row -= 1
        var isAgain = false
        let effects = list(context) { list in
            let use = list.use(mouse)
            isAgain = use.wasSelected
            return use.effects
        }
        if mouse.kind == .press { isOnMessage = isAgain }
        return effects
    }

    // MARK: Totals

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

    /// Discards the messages of an exchange; returns the slots of the work that reads them.
    mutating func forgetMessages() -> [String] {
        messages = nil
        shownMessage = nil
        isOnMessage = false
        soughtMessage = nil
        tally = MessageTally()
        return [DetailScreen.messageSlot, MessageList.countSlot]
            + RowLoad.allCases.map(\.messageSlot)
    }
}

/// The layout of the messages and the selected one: stacked, or side by side on wide screens.
struct MessageLayout: Sendable {
    private static let wideColumnCount = 140
    /// On screens with fewer rows, only one of them is shown.
    private static let splitRowCount = 10

    /// The list, with headings in its first row; empty if the message takes all the space.
    let list: Rectangle
    /// The row above the message; empty if the list takes all the space.
    let heading: Rectangle
    let lines: Rectangle
    let isWide: Bool

    /// Lays them out in the space between the tabs and the bottom line.
    init(_ size: Size, isOnMessage: Bool) {
        let (columns, rows) = (size.columns, size.rows)
        isWide = columns >= MessageLayout.wideColumnCount && rows >= 4
        if isWide {
            let width = columns * 9 / 20
            list = Rectangle(column: 0, row: 0, size: Size(columns: width, rows: rows))
            heading = Rectangle(
                column: width + 1, row: 0, size: Size(columns: columns - width - 1, rows: 1))
            lines = Rectangle(
                column: width + 1, row: 1, size: Size(columns: columns - width - 1, rows: rows - 1))
            return
        }
        let shared = max(4, rows * 9 / 20)
        let listRows = rows >= MessageLayout.splitRowCount ? shared : isOnMessage ? 0 : rows
        let headingRows = min(1, rows - listRows)
        list = Rectangle(column: 0, row: 0, size: Size(columns: columns, rows: listRows))
        heading = Rectangle(
            column: 0, row: listRows, size: Size(columns: columns, rows: headingRows))
        lines = Rectangle(
            column: 0, row: listRows + headingRows,
            size: Size(columns: columns, rows: rows - listRows - headingRows))
    }

    var listedRowCount: Int { max(1, list.size.rows - 1) }
}

/// The line in which a message filter is typed, with the position of errors.
struct MessageFilterBar: ScreenModel {
    typealias News = Never
    typealias Answer = MessageFilter

    let title = "Message filter"
    let scopes: Set<Action.Scope> = [.typing]
    let presentation = Presentation.bottom(rows: 2)

    private var field: TextField
    private var error: FilterError?

    init(text: String) { field = TextField(text) }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        if event == .key(.control("g")) { return [.close] }
        switch field.take(event) {
        case .cancelled: return [.close]
        case .accepted: return apply()
        case .other: return []
        case .typed:
            do throws(FilterError) {
                _ = try MessageFilter.parse(field.text)
                error = nil
            } catch {
                self.error = error
            }
            return []
        }
    }

    private mutating func apply() -> [Effect] {
        do throws(FilterError) {
            return [.answer(try MessageFilter.parse(field.text))]
        } catch {
            self.error = error
            return []
        }
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let column = canvas.draw("f ", row: 0, Style(.accent).adding(.bold))
        field.draw(into: canvas, column: column, row: 0)
        guard let error else {
            canvas.draw(
                " words, kind=text dir=to_client bytes>1k event= code=  Enter applies  Esc back",
                row: 1, Style(.dim))
            return
        }
        field.draw(error, into: canvas, column: column, row: 1)
    }
}
