internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// The messages of one exchange as a list: those around the visible part, read page by page.
struct MessageList: Sendable {
    typealias Effect = DetailScreen.Effect

    static let countSlot = "messages.count"
    private static let newsCountMax = 1_000

    enum Start: Sendable, Hashable {
        case first, last
        /// At the message with a position, or the nearest one.
        case around(Int64)
    }

    let exchange: ExchangeID
    private(set) var rows: RowList<MessageRow>
    /// Messages from `lower` to `upper` were scanned, both included: a matcher may have omitted
    /// everything beyond the first or the last of the loaded ones.
    private var lower: Int64 = 0
    private var upper: Int64 = -1
    private(set) var matcher: MessageMatcher
    /// The position of the last message of the exchange, or -1 if there is none.
    private(set) var last: Int64 = -1
    /// How gRPC messages are decoded, or nil if there are none.
    private(set) var grpc: GRPCReading?
    /// The position of the last selected message: where an empty list starts over.
    private var place: Int64?
    /// The number of rows between the top and the selection, to be kept when the list is rebuilt.
    private var distance: Int?
    /// The position up to which matches were counted.
    private var countedThrough: Int64 = -1

    /// Creates a list, which follows new messages if the exchange is active.
    init(_ exchange: ExchangeID, isActive: Bool, hidesPings: Bool) {
        self.exchange = exchange
        rows = RowList(isFollowing: isActive)
        matcher = MessageMatcher(hidesPings: hidesPings)
    }

    var window: RowWindow<MessageRow> { rows.window }
    var selected: MessageRow? { window.selectedRow }
    var isFollowing: Bool { rows.isFollowing }
    /// The number of messages that arrived since the last one was visible.
    var newCount: Int64 {
        isFollowing ? 0 : rows.unseen.newCount(lastID: last, count: nil, isCounted: false)
    }

    // MARK: Moving

    mutating func fit(_ count: Int) { rows.window.height = max(1, count) }

    /// Moves the selection. The first or last message may have to be read first.
    mutating func move(_ movement: Movement) -> [Effect] {
        switch movement {
        case .lines(let count), .rows(let count):
            guard !window.isEmpty else { return [] }
            rows.window.move(movement)
            return moved(isUp: count < 0)
        case .first, .last:
            rows.isFollowing = movement == .last
            let isLoaded = movement == .first ? window.isStart : window.isEnd
            guard isLoaded, rows.hasRead, !rows.isReading else {
                return begin(movement == .first ? .first : .last)
            }
            rows.window.move(movement)
            return moved(isUp: movement == .first)
        }
    }

    /// Scrolls, or selects what is clicked; returns whether that was selected already.
    mutating func use(_ mouse: MouseEvent) -> (wasSelected: Bool, effects: [Effect]) {
        let press = rows.window.use(mouse)
        if let step = Movement.wheel(mouse) { return (false, moved(isUp: step < 0)) }
        guard press != .nothing else { return (false, []) }
        return (press == .again, moved(isUp: !window.isLastSelected))
    }

    /// Moves to a message; if it is not listed, to the nearest one that is.
    mutating func go(to position: Int64) -> [Effect] {
        rows.isFollowing = false
        guard window.rows.contains(where: { $0.position == position }) else {
            return begin(.around(position))
        }
        rows.window.select(position)
        return moved(isUp: true)
    }

    mutating func toggleFollowing() -> [Effect] {
        if !isFollowing { return move(.last) }
        rows.isFollowing = false
        return []
    }

    /// The user moved, which stops following unless it was to the end.
    private mutating func moved(isUp: Bool) -> [Effect] {
        if isUp { rows.isFollowing = false }
        distance = nil
        rows.isStopped = false
        return settle()
    }

    // MARK: Reading

    /// Lists what another matcher accepts; the selection stays, or moves to the nearest message.
    mutating func list(through matcher: MessageMatcher) -> [Effect] {
        self.matcher = matcher
        rows.count = .unknown
        countedThrough = -1
        rows.isBehind = true
        let position = selected?.position ?? place
        return [.cancelWork(slot: MessageList.countSlot)]
            + begin(isFollowing ? .last : position.map { .around($0) } ?? .first)
    }

    mutating func begin(_ start: Start) -> [Effect] {
        if case .around = start { distance = window.distance }
        return rows.begin().map { .cancelWork(slot: $0.messageSlot) }
            + [.work(MessageWorks.begin(start, exchange, matcher, count: window.pageCount))]
    }

    mutating func stop() -> [Effect] {
        guard isWorking else { return [] }
        if rows.isBehind {
            // Rows of another filter are removed.
            clear(.first)
            rows.isBehind = false
        }
        rows.isStopped = true
        let slots = rows.stop().map(\.messageSlot) + [MessageList.countSlot]
        return slots.map { .cancelWork(slot: $0) }
    }

    /// Whether a long read or count is running.
    var isWorking: Bool { rows.isScanning || matcher.isFiltered && !rows.count.isKnown }

    /// Remembers the position, and reads more near an end of the loaded rows.
    private mutating func settle() -> [Effect] {
        if let position = selected?.position { place = position }
        if isFollowing || window.isLastSelected { rows.unseen.see(lastID: last, count: nil) }
        return rows.wanted().map { load in
            .work(
                MessageWorks.more(
                    load, from: load == .before ? .before(lower) : .after(upper), exchange, matcher,
                    count: window.pageCount))
        }
    }

    // MARK: New messages

    mutating func refresh() -> [Effect] {
        guard rows.hasRead else { return rows.isReading || rows.isStopped ? [] : begin(.last) }
        guard rows.beginRefresh() else { return [] }
        return [
            .work(
                MessageWorks.news(
                    exchange, matcher, after: window.isEnd ? upper : nil,
                    count: MessageList.newsCountMax))
        ]
    }

    /// Takes a part of the result of a work; the last part has `isFinal`.
    mutating func take(_ part: MessageWorks.Part, _ load: RowLoad, isFinal: Bool) -> [Effect] {
        if isFinal { rows.end(load) }
        if let share = part.share { rows.share = share }
        if let last = part.last { learn(last) }
        if let grpc = part.grpc { self.grpc = grpc }
        if load == .refresh { return takeNews(part) + again() }
        if let start = part.start {
            rows.show()
            clear(start)
        }
        take(part.slice)
        if load == .page { show(isFinal: isFinal) }
        let counting = load == .page && isFinal ? count() : []
        return settle() + counting + (isFinal ? again() : [])
    }

    private mutating func learn(_ last: Int64) {
        self.last = max(self.last, last)
        rows.unseen.learn(lastID: last, count: nil)
        if isFollowing { rows.unseen.see(lastID: last, count: nil) }
    }

    /// Moves the selection to where the list was started.
    private mutating func show(isFinal: Bool) {
        if isFollowing {
            rows.window.move(.last)
        } else if let distance {
            rows.window.place(selectedAt: distance)
        }
        if isFinal { distance = nil }
    }

    private mutating func again() -> [Effect] { rows.hasNews ? refresh() : [] }

    private mutating func takeNews(_ part: MessageWorks.Part) -> [Effect] {
        let former = rows.count.exact
        if window.isEnd {
            if isFollowing, !part.slice.isAtEdge { return begin(.last) }
            take(part.slice)
            let counted = part.slice.rows.filter { $0.position > countedThrough }
            if let former { rows.count = .exactly(former + Int64(counted.count)) }
            countedThrough = max(countedThrough, upper)
        } else if let former, last > countedThrough {
            rows.count = .atLeast(former)
        }
        if isFollowing { rows.window.move(.last) }
        return settle()
    }

    // MARK: Counting

    private mutating func count() -> [Effect] {
        guard matcher.isFiltered, rows.count.exact == nil else { return [] }
        guard window.isStart, window.isEnd else {
            return [.work(MessageWorks.count(exchange, matcher))]
        }
        take(MessageCount(number: Int64(window.rows.count), through: upper))
        return []
    }

    mutating func takeCounted(_ number: Int64) { rows.count = .counting(number) }

    mutating func take(_ count: MessageCount) {
        // Messages that arrived while the others were counted.
        let newer = window.isEnd ? window.rows.count { $0.position > count.through } : 0
        rows.count = .exactly(count.number + Int64(newer))
        countedThrough = max(count.through, window.isEnd ? upper : count.through)
    }

    mutating func fail(_ slot: String, _ words: String) -> [Effect] {
        rows.isBehind = false
        let load = RowLoad.allCases.first { $0.messageSlot == slot }
        return rows.fail(load, words) ? [.notify(.problem(words))] : []
    }

    // MARK: The scanned range

    private mutating func clear(_ start: Start) {
        switch start {
        case .first: clear(at: 0, isStart: true, isEnd: false)
        case .last: clear(at: .max, isStart: false, isEnd: true)
        case .around(let position): clear(at: position, isStart: position <= 0, isEnd: false)
        }
    }

    private mutating func clear(at position: Int64, isStart: Bool, isEnd: Bool) {
        rows.window.replace([], isStart: isStart, isEnd: isEnd)
        lower = position
        upper = isEnd ? -1 : position &- 1
    }

    private mutating func take(_ slice: MessageSlice) {
        if let looked = slice.looked {
            lower = min(lower, looked.lowerBound)
            upper = max(upper, looked.upperBound)
        }
        switch slice.side {
        case .after: append(slice)
        case .before: prepend(slice)
        }
    }

    private mutating func append(_ slice: MessageSlice) {
        let former = (first: window.rows.first?.position, last: window.rows.last?.position)
        let fresh = slice.rows.drop { row in former.last.map { row.position <= $0 } ?? false }
        rows.window.append(Array(fresh), isEnd: slice.isAtEdge)
        // Rows that were dropped have to be scanned again.
        if let first = window.rows.first?.position, let known = former.first, first > known {
            lower = first
        }
        let count = window.rows.count
        rows.window.dropLastRows()
        noteDropped(count)
    }

    private mutating func prepend(_ slice: MessageSlice) {
        let former = window.rows.first?.position
        let fresh = slice.rows.prefix { row in former.map { row.position < $0 } ?? true }
        if slice.isAtEdge { lower = 0 }
        let count = window.rows.count + fresh.count
        rows.window.prepend(Array(fresh), isStart: slice.isAtEdge)
        noteDropped(count)
    }

    private mutating func noteDropped(_ count: Int) {
        if window.rows.count < count, let last = window.rows.last { upper = last.position }
    }
}

extension RowLoad { var messageSlot: String { "messages.\(rawValue)" } }
