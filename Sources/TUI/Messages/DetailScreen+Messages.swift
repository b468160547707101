internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The tab Messages: a list, and the message selected in it.
extension DetailScreen {
    /// Whether there are messages, or may be.
    var hasMessages: Bool { row.messageCount != nil || subject?.lastMessage != nil }

    /// Opens the list of messages if it is not open yet, and reads new messages.
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

    /// Sets the available space.
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

    /// Changes the list, and shows the message that is selected afterwards.
    mutating func list(
        _ context: Context, _ change: (inout MessageList) -> [Effect]
    ) -> [Effect] {
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
        case .nextMessage: return list(context) { $0.move(by: 1) }
        case .previousMessage: return list(context) { $0.move(by: -1) }
        case .followMessages: return list(context) { $0.toggleFollowing() }
        case .filterMessages:
            return [.ask(MessageFilterBar(text: messages.sieve.text)) { .filtered($0) }]
        case .hidePings: return togglePings(context)
        case .clearMessageFilter where messages.sieve.isFiltered:
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

    /// Lists the messages that match a filter. The selection stays if the message matches.
    mutating func filterMessages(
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

    /// Moves the keys from the message to the list; returns nil if they go to the list already.
    private mutating func closeMessage() -> [Effect]? {
        guard isOnMessage, !page.isPart else { return nil }
        isOnMessage = false
        // A non-empty result says that something was closed.
        return [.cancelWork(slot: "search")]
    }
}
