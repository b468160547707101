internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The results of work for the tab Messages, and its mouse events.
extension DetailScreen {
    /// Receives news for the tab.
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
            var isAgain = false
            let effects = list(context) { list in
                guard let selected = list.select(row: position.row - 1) else { return [] }
                isAgain = selected.wasSelected
                return selected.effects
            }
            isOnMessage = isAgain
            return effects
        case .drag, .release: return []
        }
    }

    // MARK: Totals

    /// Continues to total the messages if the tab shows totals.
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
            + MessageList.Load.allCases.map(\.rawValue)
    }
}
