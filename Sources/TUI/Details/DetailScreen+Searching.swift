internal import ProxydFilter
internal import ProxydCaptureModel
internal import ProxydPresentation

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
        if event == .key(.alt("c")) {
            mindsCase.toggle()
        } else if event == .key(Key(.up)) {
            if let needle { typing?.set(needle.text) }
        } else {
            switch field.take(event) {
            case .cancelled: typing = nil
            case .accepted: return begin(field.text)
            case .typed, .other: typing = field
            }
        }
        return []
    }

    /// Searches from the cursor on; without typed text, keeps the previous search.
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
        guard let needle else { return [.notify(.information("/ searches heads and bodies"))] }
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

    /// Searches the bodies for the text in the list's filter; opens the first one with it.
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
        return more(context) + [.notify(.information(words(place, found.tab) + wrapped + next))]
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

    private func words(_ place: SearchHit, _ tab: DetailTab) -> String {
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

/// Searches an exchange's heads and bodies from a place on one of its tabs, wrapping around.
struct ExchangeSearch: Sendable {
    let needle: SearchNeedle
    let direction: BodySearch.Direction
    let pages: [(tab: DetailTab, page: DetailPage)]

    /// The stops of one complete round, starting at a place.
    func stops(from tab: DetailTab, _ origin: SearchOrigin) -> [SearchStop] {
        let start = pages.firstIndex { $0.tab == tab } ?? 0
        guard pages.indices.contains(start) else { return [] }
        let (before, behind) = split(start, origin)
        let later = pages[(start + 1)...].flatMap { whole($0.tab, $0.page) }
        let earlier = pages[..<start].flatMap { whole($0.tab, $0.page) }
        switch direction {
        case .forward: return mark(behind + later, false) + mark(earlier + before, true)
        case .backward:
            return mark(before.reversed() + earlier.reversed(), false)
                + mark(later.reversed() + behind.reversed(), true)
        }
    }

    private typealias Part = (tab: DetailTab, extent: SearchStop.Extent)

    private func mark(_ parts: [Part], _ isWrapped: Bool) -> [SearchStop] {
        parts.map { SearchStop(tab: $0.tab, extent: $0.extent, isWrapped: isWrapped) }
    }

    private func whole(_ tab: DetailTab, _ page: DetailPage) -> [Part] {
        let head: Part = (tab, .head(page.head.indices))
        return page.shown == nil ? [head] : [head, (tab, .body(0..<Int.max))]
    }

    /// The parts before and after an origin on its own tab. A match is searched again only after a
    /// complete round.
    private func split(_ index: Int, _ origin: SearchOrigin) -> (before: [Part], behind: [Part]) {
        // Forward, the match belongs to the part before the start; backward, to the part behind.
        let step = direction == .forward ? 1 : 0
        return switch origin {
        case .beginning: ([], whole(pages[index].tab, pages[index].page))
        case .match(.head(let line)): split(index, headLine: line + step)
        case .match(.body(_, let range)): split(index, byte: range.lowerBound + step)
        case .headLine(let line): split(index, headLine: line)
        case .byte(let offset): split(index, byte: offset)
        }
    }

    private func split(_ index: Int, headLine line: Int) -> (before: [Part], behind: [Part]) {
        let (tab, page) = pages[index]
        let end = page.head.count
        let line = max(0, min(line, end))
        let body: [Part] = page.shown == nil ? [] : [(tab, .body(0..<Int.max))]
        return ([(tab, .head(0..<line))], [(tab, .head(line..<end))] + body)
    }

    private func split(_ index: Int, byte offset: Int) -> (before: [Part], behind: [Part]) {
        let (tab, page) = pages[index]
        let offset = max(0, offset)
        return (
            [(tab, .head(page.head.indices)), (tab, .body(0..<offset))],
            [(tab, .body(offset..<Int.max))]
        )
    }

    /// The line of a head that matches, first met in the search direction.
    func line(in range: Range<Int>, of page: DetailPage) -> Int? {
        let lines = range.clamped(to: page.head.indices)
        let isMatch = { (line: Int) in needle.isFound(in: page.head[line]) }
        return direction == .forward ? lines.first(where: isMatch) : lines.last(where: isMatch)
    }
}

enum SearchHit: Sendable, Hashable {
    case head(line: Int)
    /// Bytes of the body, and the viewer's line that shows them, or nil if none does.
    case body(line: Int?, range: Range<Int>)
}

/// Where a search starts on a tab.
enum SearchOrigin: Sendable, Hashable {
    case beginning
    /// At the last match, which is searched again only after everything else.
    case match(SearchHit)
    /// At the cursor, not on a match, in a line before the body. Forward the line itself comes
    /// first, backward the line above it.
    case headLine(Int)
    /// The same in the body: forward, matches that start at a byte or later come first; backward,
    /// matches that start before it. At least 0.
    case byte(Int)
}

/// A part of an exchange that is searched in one step.
struct SearchStop: Sendable {
    enum Extent: Sendable {
        case head(Range<Int>)
        /// Matches in the body that start in a range.
        case body(Range<Int>)
    }

    let tab: DetailTab
    let extent: Extent
    let isWrapped: Bool
}

/// The text to find: as text in lines of heads, as bytes in their charset in bodies.
struct SearchNeedle: Sendable, Hashable {
    let text: String
    let isCaseSensitive: Bool

    /// Returns nil if there is nothing to find.
    init?(_ text: String, isCaseSensitive: Bool = false) {
        guard !text.isEmpty else { return nil }
        self.text = text
        self.isCaseSensitive = isCaseSensitive
    }

    func bytes(_ encoding: TextEncoding) -> BodyNeedle? {
        BodyNeedle(text, encoding, isCaseSensitive: isCaseSensitive)
    }

    /// Whether a line before a body contains it. Headings are not part of the exchange and never
    /// match.
    func isFound(in line: StyledText) -> Bool {
        guard line.runs.first?.style.foreground != .heading else { return false }
        return isCaseSensitive
            ? line.text.contains(text) : line.text.lowercased().contains(text.lowercased())
    }
}
