internal import ProxydPresentation

/// Searches heads and bodies of an exchange, starting at a place on one of its tabs and wrapping
/// around.
struct ExchangeSearch: Sendable {
    let needle: SearchNeedle
    let direction: BodySearch.Direction
    /// The tabs that are searched, in order.
    let pages: [(tab: DetailTab, page: DetailPage)]

    /// The stops of one complete round, starting at a place.
    func stops(from tab: DetailTab, _ origin: SearchOrigin) -> [SearchStop] {
        let start = pages.firstIndex { $0.tab == tab } ?? 0
        guard pages.indices.contains(start) else { return [] }
        let (before, behind) = split(start, origin)
        let later = pages[(start + 1)...].flatMap { whole($0.tab, $0.page) }
        let earlier = pages[..<start].flatMap { whole($0.tab, $0.page) }
        switch direction {
        case .forward:
            return mark(behind + later, false) + mark(earlier + before, true)
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
