internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Searching heads and bodies of the exchange.
extension DetailScreen {
    /// The tabs that a search covers: both messages from any tab, or one message as it was
    /// received, or a single part of a body.
    private var searchedTabs: [DetailTab] {
        switch tab {
        case .raw, .hex, .messages, .changes: [tab]
        default: page.isPart ? [tab] : [.request, .response]
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        if case .mouse(let mouse) = event { return receive(mouse, context) }
        guard var field = typing else { return nil }
        switch event {
        case .key(.escape), .key(.control("c")):
            typing = nil
            return []
        case .key(.enter): return begin(field.text)
        case .key(.alt("c")): mindsCase.toggle()
        case .key(Key(.up)): if let needle { field.set(needle.text) }
        case .key(let key): _ = field.handle(key)
        case .paste(let text): field.insert(text)
        case .mouse, .resize: break
        }
        typing = field
        return []
    }

    /// Searches from the cursor on; without typed text it does nothing and keeps the previous
    /// search.
    private mutating func begin(_ text: String) -> [Effect] {
        typing = nil
        guard let needle = SearchNeedle(text, isCaseSensitive: mindsCase) else { return [] }
        self.needle = needle
        for tab in pages.keys { pages[tab]?.match = nil }
        return tab == .messages && !isOnMessage ? searchMessages(.forward) : search(.forward)
    }

    /// Goes to the next or previous match, relative to the last match or the cursor.
    mutating func search(_ direction: BodySearch.Direction) -> [Effect] {
        guard let subject else { return [] }
        guard let needle else {
            return [.notify(.information("/ searches heads and bodies"))]
        }
        let search = ExchangeSearch(
            needle: needle, direction: direction,
            pages: searchedTabs.compactMap { tab in pages[tab].map { (tab, $0) } })
        progress = DetailWorks.Progress(byteCount: 0)
        return [
            .work(DetailWorks.search(search, search.stops(from: tab, origin(direction)), subject))
        ]
    }

    /// Where the search starts: at the last match if the cursor is still on it, otherwise at the
    /// cursor; at the start of a tab that is not searched.
    private func origin(_ direction: BodySearch.Direction) -> SearchOrigin {
        guard searchedTabs.contains(tab) else { return .beginning }
        if let match = page.match, page.matchedLine ?? page.pager.cursor == page.pager.cursor {
            return .match(match)
        }
        guard let line = page.viewerLine else { return .headLine(page.pager.cursor) }
        return switch direction {
        case .forward: .byte(page.viewer?.offset(ofLine: line) ?? 0)
        case .backward: .byte(page.endOfBytes(aboveViewerLine: line))
        }
    }

    /// Searches the bodies for the text in the list's filter; opens the first body that contains
    /// it.
    mutating func seek() -> [Effect] {
        guard let subject, let sought = filter.soughtInBodies,
            let needle = SearchNeedle(sought.text)
        else { return [] }
        self.needle = needle
        let tabs: [DetailTab] = sought.sides.map { $0 == .request ? .request : .response }
        let search = ExchangeSearch(
            needle: needle, direction: .forward,
            pages: tabs.compactMap { tab in pages[tab].map { (tab, $0) } })
        let stops = search.pages.filter { $0.page.shown != nil }.map { tab, _ in
            SearchStop(tab: tab, extent: .body(0..<Int.max), isWrapped: false)
        }
        return [.work(DetailWorks.search(search, stops, subject, isOwn: true))]
    }

    mutating func take(_ found: DetailWorks.Found, _ context: Context) -> [Effect] {
        progress = nil
        guard let place = found.place else { return found.isOwn ? [] : goOnInMessages() }
        guard var page = pages[found.tab] else { return [] }
        let isCurrent = found.viewer.map { page.take($0, generation: found.generation) } ?? true
        guard isCurrent else { return [] }
        page.match = place
        if let line = page.matchedLine { page.pager.go(to: line, count: page.lineCount) }
        pages[found.tab] = page
        tab = found.tab
        let wrapped = found.isWrapped ? ", continued from the other end" : ""
        let next = found.isOwn ? "; n goes to the next" : ""
        return more(context)
            + [.notify(.information(words(place, found.tab) + wrapped + next))]
    }

    /// A text that is in no head or body may be in a message.
    private mutating func goOnInMessages() -> [Effect] {
        guard hasMessages, tab != .messages, searchedTabs.count > 1 else {
            return [.notify(nothing)]
        }
        return searchMessages(.forward, fromEnd: true)
    }

    private var nothing: Notice {
        let text = needle?.text ?? ""
        return switch tab {
        case .messages: .information("“\(text)” is not in this message")
        case .raw, .hex: .information("“\(text)” is not in the message as received")
        case _ where page.isPart: .information("“\(text)” is not in this part")
        default: .information("“\(text)” is not in any head or body of the exchange")
        }
    }

    private func words(_ place: SearchPlace, _ tab: DetailTab) -> String {
        let owner =
            switch tab {
            case .request: "the request's "
            case .response: "the response's "
            case .messages: "message \(shownMessage?.row.position ?? 0), "
            default: ""
            }
        switch place {
        case .body(_, let range) where tab == .messages:
            return "\(owner)at byte \(range.lowerBound)"
        case .head(let line): return "\(owner)head, line \(line + 1)"
        case .body(_, let range):
            let what = tab == .raw || tab == .hex ? "the message" : "\(owner)body"
            return "\(what), at byte \(range.lowerBound)"
        }
    }
}
