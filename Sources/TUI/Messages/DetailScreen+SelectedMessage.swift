internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The message selected in the list, shown below or beside it.
extension DetailScreen {
    /// Shows the selected message if the selection changed.
    mutating func showSelected(_ context: Context) -> [Effect] {
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
        let isWhole = Int64(selected.bytes.count) == selected.byteCount
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
                    throw WorkFailure("the message is no longer in the store")
                }
                return .content(
                    MessageContent(
                        row, row.kind == .grpc ? try context.exchanges.grpcReading(of: id) : nil))
            })
    }

    /// The selected message was read completely.
    mutating func take(_ content: MessageContent, _ context: Context) -> [Effect] {
        guard shownMessage?.row.position == content.row.position else { return [] }
        shownMessage?.content = content
        showMessage(context)
        return more(context) + seekInMessage()
    }

    /// Builds the page of the selected message.
    private mutating func showMessage(_ context: Context) {
        guard let shownMessage else { return }
        let former = pages[.messages]
        var page: DetailPage
        if let content = shownMessage.content {
            page = messagePage(content, (former?.generation ?? 0) + 1, context.clock)
        } else {
            page = DetailPage(
                head: [StyledText("reading…", .dim)], generation: (former?.generation ?? 0) + 1)
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
        let bytes = content.bytes(asBytes: showsMessageBytes)
        guard !bytes.isEmpty else { return DetailPage(head: lines, generation: generation) }
        let facts = content.facts(asBytes: showsMessageBytes)
        let viewers =
            content.row.kind == .close ? [BodyViewers.hex] : BodyViewers.suited(to: facts)
        return DetailPage(
            head: lines,
            DetailPage.Shown(
                facts: facts, source: LoadedBody(bytes), loaded: nil, message: nil),
            viewers: viewers, preferred: chosenForMessages[content.row.kind],
            generation: generation)
    }

    /// Switches between the meaning of the message and its bytes.
    mutating func toggleBytes(_ context: Context) -> [Effect] {
        guard shownMessage?.content?.meaning != nil else {
            return [.notify(.information("its text is the same as its bytes"))]
        }
        showsMessageBytes.toggle()
        showMessage(context)
        return [.cancelWork(slot: "more")] + more(context)
    }

    /// Finds the search text in the selected message.
    mutating func seekInMessage(again: Bool = false) -> [Effect] {
        guard shownMessage?.isSought == true || again, let subject, let needle,
            let page = pages[.messages], page.shown != nil
        else { return [] }
        shownMessage?.isSought = false
        let search = ExchangeSearch(
            needle: needle, direction: .forward, pages: [(.messages, page)])
        let stop = SearchStop(tab: .messages, extent: .body(0..<Int.max), isWrapped: false)
        return [.work(DetailWorks.search(search, [stop], subject, isOwn: true))]
    }
}
