internal import ProxydParameterCoding
internal import ProxydCaptureModel
internal import ProxydPresentation

extension DetailScreen {
    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        if let index = ActionID.tabs.firstIndex(of: action) {
            return show(DetailTab(rawValue: index) ?? .overview, context)
        }
        if let effects = performOnMessages(action, context) { return effects }
        switch action {
        case .nextTab: return show(tab.moved(by: 1, among: tabs), context)
        case .previousTab: return show(tab.moved(by: -1, among: tabs), context)
        case .nextExchange, .previousExchange:
            return [
                .work(
                    DetailWorks.neighbour(of: row, isNext: action == .nextExchange, filter, order))
            ]
        case .otherMessage: return toggleRawMessage(context)
        case .close: return close()
        case .cancel: return cancel()
        case .search:
            typing = TextField()
            return []
        case .nextMatch: return search(.forward)
        case .previousMatch: return search(.backward)
        case .copyLine: return copyLine()
        case .copyShownBody, .editBody: return take(action)
        case .saveBody: return saveShownBody()
        default: return move(action, context)
        }
    }

    mutating func show(_ tab: DetailTab, _ context: Context) -> [Effect] {
        guard tabs.contains(tab) else {
            let words =
                switch tab {
                case .changes: "nothing was changed in transit"
                case .security: "this exchange has no certificates or tokens"
                default: "this exchange has no messages"
                }
            return [.notify(.information(words))]
        }
        self.tab = tab
        wantsEnd = false
        let opening = open(tab, context)
        return cancelMore() + opening + more(context) + addUp()
    }

    /// Reads what a tab needs beyond heads and bodies.
    mutating func open(_ tab: DetailTab, _ context: Context) -> [Effect] {
        switch tab {
        case .messages: openMessages(context)
        case .changes: openChanges()
        default: []
        }
    }

    /// Closes an open part first; otherwise the screen itself is closed.
    private mutating func close() -> [Effect] {
        guard page.closePart() else { return [] }
        // A non-empty result says that something was closed.
        return [.cancelWork(slot: "search")]
    }

    private mutating func cancel() -> [Effect] {
        progress = nil
        wantsEnd = false
        return cancelMore() + [.cancelWork(slot: "search")]
    }

    private func cancelMore() -> [Effect] {
        [.cancelWork(slot: DetailWorks.moreSlot), .cancelWork(slot: DetailWorks.besideSlot)]
    }

    // MARK: Moving

    private mutating func move(_ action: ActionID, _ context: Context) -> [Effect] {
        let rows = contentRows(context)
        if let movement = Movement(action, page: rows - 1, half: rows / 2) {
            move(movement, context)
            wantsEnd = movement == .last
            return more(context)
        }
        guard action == .left || action == .right else { return changeBody(action, context) }
        moveSideways(isRight: action == .right)
        wantsEnd = false
        return more(context)
    }

    private mutating func move(_ movement: Movement, _ context: Context) {
        let (page, width) = (page, contentColumns(context))
        self.page.pager.move(movement, count: page.lineCount, rows: contentRows(context)) {
            page.height(of: $0, width: width)
        }
    }

    /// Scrolls sideways if lines are not wrapped; otherwise folds on left and unfolds on right.
    private mutating func moveSideways(isRight: Bool) {
        if page.pager.wraps {
            _ = page.toggleFold(isOpening: isRight)
        } else {
            page.pager.moveSideways(isRight ? 1 : -1)
        }
    }

    private mutating func changeBody(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .nextViewer, .previousViewer:
            page.changeViewer(by: action == .nextViewer ? 1 : -1)
            if let shown = page.shown, !page.isPart { choose(shown) }
        case .unfold:
            if !page.openPart() { _ = page.toggleFold() }
        case .foldAll: _ = page.fold(depth: 1)
        case .unfoldAll: _ = page.fold(depth: nil)
        case .wrap: page.pager.toggleWrapping()
        default: return RowActions.effects(action, row).map { $0.map { .row($0) } }
        }
        return more(context)
    }

    /// Remembers the viewer for other bodies of the same message, or messages of the same kind.
    private mutating func choose(_ shown: DetailPage.Shown) {
        if let message = shown.message {
            chosen[message] = page.viewerName
        } else if let kind = shownMessage?.row.kind {
            chosenForMessages[kind] = page.viewerName
        }
    }

    // MARK: Lines

    /// The width available for lines after the fold marks.
    func contentColumns(_ context: Context) -> Int { contentColumns(of: tab, context) }

    private func contentColumns(of tab: DetailTab, _ context: Context) -> Int {
        let columns =
            tab == .messages
            ? messageLayout(context).lines.size.columns
            : half(of: tab, context.size)?.size.columns ?? context.size.columns
        return max(1, columns - 2)
    }

    func contentRows(_ context: Context) -> Int {
        let rows =
            tab == .messages
            ? messageLayout(context).lines.size.rows : context.size.rows - DetailScreen.barCount
        return max(1, rows)
    }

    /// Finds the lines to be shown, immediately if that is cheap, otherwise on a worker thread.
    mutating func more(_ context: Context) -> [Effect] {
        guard let subject else { return [] }
        let beside = halves(context.size).flatMap { _ in tab.beside }
        return [(tab, DetailWorks.moreSlot), (beside, DetailWorks.besideSlot)].flatMap {
            tab, slot in tab.map { more(of: $0, slot, subject, context) } ?? []
        }
    }

    private mutating func more(
        of tab: DetailTab, _ slot: String, _ subject: DetailSubject, _ context: Context
    ) -> [Effect] {
        guard var page = pages[tab] else { return [] }
        let rows = contentRows(context)
        let isEnough = page.advance(rows: rows, byteBudget: DetailScreen.keyByteBudget)
        settle(&page, of: tab, context)
        pages[tab] = page
        let wantsEnd = wantsEnd && tab == self.tab
        guard let shown = page.shown, !page.isAtEnd,
            wantsEnd || !isEnough || page.needsLoading(rows: rows)
        else {
            if wantsEnd { self.wantsEnd = !page.isAtEnd }
            return []
        }
        let line = wantsEnd ? Int.max : max(page.pager.top, page.pager.cursor) + rows * 2
        let body = shown.message.map { subject.body($0) }
        return [.work(DetailWorks.advance(page, tab, toLine: line, body, row.id, slot: slot))]
    }

    private func settle(_ page: inout DetailPage, of tab: DetailTab, _ context: Context) {
        let (settled, width) = (page, contentColumns(of: tab, context))
        page.pager.show(rows: contentRows(context), count: max(1, page.lineCount)) {
            settled.height(of: $0, width: width)
        }
    }

    mutating func take(_ advanced: DetailWorks.Advanced, _ context: Context) -> [Effect] {
        guard var page = pages[advanced.tab], let viewer = advanced.viewer,
            page.take(viewer, generation: advanced.generation)
        else { return [] }
        if advanced.tab == tab {
            progress =
                advanced.isFinal ? nil : DetailWorks.Progress(byteCount: viewer.indexedByteCount)
            if wantsEnd { page.pager.go(to: page.lineCount - 1, count: page.lineCount) }
            if advanced.isFinal { wantsEnd = false }
        }
        settle(&page, of: advanced.tab, context)
        pages[advanced.tab] = page
        return []
    }

    // MARK: The mouse

    mutating func receive(_ mouse: MouseEvent, _ context: Context) -> [Effect] {
        if mouse.kind == .press, mouse.position.row == 1 {
            let bar = TabBar(tabs, columns: context.size.columns)
            return bar.tab(at: mouse.position.column).map { show($0, context) } ?? []
        }
        if let effects = receiveOnList(mouse, context) { return effects }
        if let beside = tab.beside, let frame = half(of: beside, context.size),
            frame.contains(mouse.position)
        {
            return show(beside, context) + receive(mouse, context)
        }
        if let step = Movement.wheel(mouse) {
            move(.rows(step), context)
            return more(context)
        }
        guard mouse.kind == .press, mouse.position.row > 1 else { return [] }
        let top = tab == .messages ? 2 + messageLayout(context).lines.row : 2
        guard let line = line(atRow: mouse.position.row - top, context) else { return [] }
        let isAgain = line == page.pager.cursor
        page.pager.go(to: line, count: page.lineCount)
        let column = mouse.position.column - (half(of: tab, context.size)?.column ?? 0)
        return isAgain || column < 2 ? perform(.unfold, context) : more(context)
    }

    private func line(atRow row: Int, _ context: Context) -> Int? {
        var line = page.pager.top
        var used = -page.pager.topRow
        while line < page.lineCount, used <= row {
            used += page.height(of: line, width: contentColumns(context))
            if used > row { return line }
            line += 1
        }
        return nil
    }

    // MARK: Bodies and lines

    /// The maximum number of bytes that are copied or edited; any number can be saved.
    private static let takenByteCountMax = 64 << 20

    func copyLine() -> [Effect] {
        let line = page.pager.cursor
        guard let text = page.lines(line..<line + 1).first?.text else { return [] }
        return [.copy(CopiedText(name: "line", text))]
    }

    func take(_ action: ActionID) -> [Effect] {
        guard let subject, let shown = page.shown else { return [.notify(.information(noBody))] }
        let (body, id) = (shown.message.map { subject.body($0) }, row.id)
        let isCopy = action == .copyShownBody
        return [
            .work(
                Work("take", on: .details) { context in
                    if let loaded = shown.loaded {
                        body?.load(loaded, upTo: DetailScreen.takenByteCountMax + 1, id, context)
                    }
                    let extent = shown.source.extent
                    guard extent.byteCount <= DetailScreen.takenByteCountMax else {
                        let limit = Quantity.bytes(Int64(DetailScreen.takenByteCountMax))
                        throw WorkFailure("the body is larger than \(limit); b saves it to a file")
                    }
                    let bytes = shown.source.read(from: 0, byteCount: extent.byteCount)
                    if isCopy { return .row(.copied(CopiedText(name: "body", bytes: bytes))) }
                    return .edit(
                        EditRequest(
                            fileExtension: FileNames.fileExtension(shown.facts), bytes: bytes))
                })
        ]
    }

    func saveShownBody() -> [Effect] {
        guard let shown = page.shown else { return [.notify(.information(noBody))] }
        let ending = FileNames.fileExtension(shown.facts)
        if page.isPart {
            return [asking(FormDialog.savingPart(shown.source, fileExtension: ending))]
        }
        if let message = shown.message {
            return [asking(FormDialog.savingBody(row, message, fileExtension: ending))]
        }
        guard let message = shownMessage?.content?.row else { return [] }
        return [
            asking(FormDialog.savingMessage(message, of: row, shown.source, fileExtension: ending))
        ]
    }

    private func asking(_ dialog: FormDialog) -> Effect { .ask(dialog) { .row(.focused($0)) } }

    private var noBody: String {
        tab == .messages ? "the message has no bytes here" : "there is no body here"
    }
}
