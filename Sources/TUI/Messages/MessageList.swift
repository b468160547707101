internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// The messages of one exchange as a list: those around the visible part, read page by page.
struct MessageList: Sendable {
    typealias Effect = DetailScreen.Effect

    /// The parts that can be read.
    enum Load: String, Sendable, Hashable, CaseIterable {
        case page = "messages.page"
        case before = "messages.before"
        case after = "messages.after"
        case news = "messages.news"
    }

    static let countSlot = "messages.count"
    /// The maximum number of new messages taken over at a time.
    private static let newsCountMax = 1_000

    let exchange: ExchangeID
    private(set) var window = MessageWindow()
    private(set) var sieve: MessageSieve
    /// Whether the list scrolls to new messages.
    private(set) var isFollowing: Bool
    /// The position of the last message of the exchange, or -1 if there is none.
    private(set) var last: Int64 = -1
    /// How gRPC messages are decoded, or nil if there are none.
    private(set) var grpc: GRPCReading?
    /// How many messages match the filter.
    private(set) var matches = ListScreen.RowCount.unknown
    /// The share of the messages that was scanned, if it takes long.
    private(set) var share: Double?
    /// Why there is nothing to show.
    private(set) var problem: String?
    /// Whether messages have been read.
    private(set) var hasRead = false
    /// Whether the displayed rows are those of another filter.
    private(set) var isBehind = false
    /// Whether reading was aborted.
    private(set) var isStopped = false
    private var loads: Set<Load> = []
    private var hasNews = false
    /// The position of the last selected message: where an empty list starts over.
    private var place: Int64?
    /// The number of rows between the top and the selection, to be kept when the list is rebuilt.
    private var distance: Int?
    /// The position up to which matches were counted.
    private var countedThrough: Int64 = -1
    private var unseen = UnseenRows()

    /// Creates a list, which follows new messages if the exchange is active.
    init(_ exchange: ExchangeID, isActive: Bool, hidesPings: Bool) {
        self.exchange = exchange
        isFollowing = isActive
        sieve = MessageSieve(hidesPings: hidesPings)
    }

    var selected: MessageRow? { window.rows.selectedRow }
    var isReading: Bool { loads.contains(.page) }
    /// The number of messages that arrived since the last one was visible.
    var newCount: Int64 {
        isFollowing ? 0 : unseen.newCount(lastID: last, count: nil, isCounted: false)
    }

    // MARK: Moving

    /// Sets the number of visible rows.
    mutating func fit(rows: Int) { window.change { $0.height = max(1, rows) } }

    /// Moves the selection, and stops following new messages.
    mutating func move(by count: Int) -> [Effect] {
        guard !window.rows.isEmpty else { return [] }
        window.change { $0.move(by: count) }
        return moved(isUp: count < 0)
    }

    /// Scrolls.
    mutating func scroll(by count: Int) -> [Effect] {
        window.change { $0.scroll(by: count) }
        return moved(isUp: count < 0)
    }

    /// Selects the message at a row of the screen and returns whether it was selected already, or
    /// nil if there is none.
    mutating func select(row: Int) -> (wasSelected: Bool, effects: [Effect])? {
        let former = selected?.position
        var isThere = false
        window.change { isThere = $0.select(visible: row) }
        guard isThere else { return nil }
        return (selected?.position == former, moved(isUp: !isLastSelected))
    }

    /// Moves to the first or last message, which may have to be read first.
    mutating func jump(toFirst isFirst: Bool) -> [Effect] {
        isFollowing = !isFirst
        guard isFirst ? window.rows.isStart : window.rows.isEnd, hasRead, !isReading else {
            return begin(isFirst ? .first : .last)
        }
        window.change { if isFirst { $0.selectFirst() } else { $0.selectLast() } }
        return moved(isUp: isFirst)
    }

    /// Moves to a message; if it is not listed, to the nearest one that is.
    mutating func go(to position: Int64) -> [Effect] {
        isFollowing = false
        if window.rows.rows.contains(where: { $0.position == position }) {
            window.change { $0.select(position) }
            return moved(isUp: true)
        }
        return begin(.around(position))
    }

    mutating func toggleFollowing() -> [Effect] {
        isFollowing.toggle()
        guard isFollowing else { return [] }
        guard window.rows.isEnd, hasRead, !isReading else { return begin(.last) }
        window.change { $0.selectLast() }
        return moved(isUp: false)
    }

    /// The user moved, which stops following unless it was to the end.
    private mutating func moved(isUp: Bool) -> [Effect] {
        if isUp { isFollowing = false }
        distance = nil
        isStopped = false
        return settle()
    }

    // MARK: Filtering

    /// Lists what another sieve lets through. The selection stays, or moves to the nearest listed
    /// message.
    mutating func list(through sieve: MessageSieve) -> [Effect] {
        self.sieve = sieve
        matches = .unknown
        countedThrough = -1
        isBehind = true
        let counting: [Effect] = [.cancelWork(slot: MessageList.countSlot)]
        if isFollowing { return counting + begin(.last) }
        guard let place = selected?.position ?? place else { return counting + begin(.first) }
        return counting + begin(.around(place))
    }

    /// Starts reading over.
    mutating func begin(_ start: MessageWindow.Start) -> [Effect] {
        loads = [.page]
        share = nil
        isStopped = false
        if case .around = start { distance = window.rows.selected - window.rows.top }
        let others: [Load] = [.before, .after, .news]
        return others.map { .cancelWork(slot: $0.rawValue) }
            + [.work(MessageWorks.begin(start, exchange, sieve, count: window.rows.pageCount))]
    }

    /// Aborts reading.
    mutating func stop() -> [Effect] {
        guard isWorking else { return [] }
        let slots = loads.map(\.rawValue) + [MessageList.countSlot]
        if isBehind {
            // Rows of another filter are removed.
            window.begin(.first)
            isBehind = false
        }
        isStopped = true
        loads = []
        share = nil
        if !matches.isKnown { matches = .atLeast(matches.found) }
        return slots.map { .cancelWork(slot: $0) }
    }

    /// Whether a long read or count is running.
    var isWorking: Bool {
        !loads.isDisjoint(with: [.page, .before, .after]) || sieve.isFiltered && !matches.isKnown
    }

    /// Reads more when the visible part comes near an end of the loaded rows.
    private mutating func more() -> [Effect] {
        guard !isReading, hasRead, !isStopped else { return [] }
        var effects: [Effect] = []
        if window.rows.wantsBefore, loads.insert(.before).inserted {
            effects.append(read(.before, from: .before(window.lower)))
        }
        if window.rows.wantsAfter, loads.insert(.after).inserted {
            effects.append(read(.after, from: .after(window.upper)))
        }
        return effects
    }

    private func read(_ load: Load, from page: MessagePage) -> Effect {
        .work(MessageWorks.more(load, from: page, exchange, sieve, count: window.rows.pageCount))
    }

    private var isLastSelected: Bool {
        window.rows.isEnd && window.rows.selected == window.rows.rows.count - 1
    }

    /// Remembers the position, and reads more.
    private mutating func settle() -> [Effect] {
        if let position = selected?.position { place = position }
        if isFollowing || isLastSelected { unseen.see(lastID: last, count: nil) }
        return more()
    }

    // MARK: New messages

    /// Checks for new messages after the store changed.
    mutating func refresh() -> [Effect] {
        guard hasRead else { return isReading || isStopped ? [] : begin(.last) }
        guard !loads.contains(.news), !isReading else {
            hasNews = true
            return []
        }
        hasNews = false
        loads.insert(.news)
        return [
            .work(
                MessageWorks.news(
                    exchange, sieve, after: window.rows.isEnd ? window.upper : nil,
                    count: MessageList.newsCountMax))
        ]
    }

    /// Takes a part of the result of a work; the last part has `isFinal`.
    mutating func take(_ part: MessageWorks.Part, _ load: Load, isFinal: Bool) -> [Effect] {
        if isFinal { loads.remove(load) }
        if loads.isDisjoint(with: [.page, .before, .after]) { share = nil }
        if let share = part.share { self.share = share }
        if let last = part.last { learn(last) }
        if let grpc = part.grpc { self.grpc = grpc }
        if load == .news { return takeNews(part) + again() }
        if let start = part.start {
            hasRead = true
            isBehind = false
            problem = nil
            window.begin(start)
        }
        window.take(part.slice)
        if load == .page { show(isFinal: isFinal) }
        let counting = load == .page && isFinal ? count() : []
        return settle() + counting + (isFinal ? again() : [])
    }

    private mutating func learn(_ last: Int64) {
        self.last = max(self.last, last)
        unseen.learn(lastID: last, count: nil)
        if isFollowing { unseen.see(lastID: last, count: nil) }
    }

    /// Moves the selection to where the list was started.
    private mutating func show(isFinal: Bool) {
        if isFollowing {
            window.change { $0.selectLast() }
        } else if let distance {
            window.change { $0.place(selectedAt: distance) }
        }
        if isFinal { distance = nil }
    }

    private mutating func again() -> [Effect] { hasNews ? refresh() : [] }

    private mutating func takeNews(_ part: MessageWorks.Part) -> [Effect] {
        let former = matches.isExact ? matches.found : nil
        if window.rows.isEnd {
            if isFollowing, !part.slice.isAtEdge { return begin(.last) }
            window.take(part.slice)
            let counted = part.slice.rows.filter { $0.position > countedThrough }
            if let former { matches = .exactly(former + Int64(counted.count)) }
            countedThrough = max(countedThrough, window.upper)
        } else if let former, last > countedThrough {
            matches = .atLeast(former)
        }
        if isFollowing { window.change { $0.selectLast() } }
        return settle()
    }

    // MARK: Counting

    private mutating func count() -> [Effect] {
        guard sieve.isFiltered, !matches.isExact else { return [] }
        if window.rows.isStart, window.rows.isEnd {
            take(
                MessageCount(
                    number: Int64(window.rows.rows.count), through: window.upper))
            return []
        }
        return [.work(MessageWorks.count(exchange, sieve))]
    }

    /// Takes an intermediate count.
    mutating func takeCounted(_ number: Int64) { matches = .counting(number) }

    mutating func take(_ count: MessageCount) {
        // Messages that arrived while the others were counted.
        let newer =
            window.rows.isEnd
            ? window.rows.rows.count { $0.position > count.through } : 0
        matches = .exactly(count.number + Int64(newer))
        countedThrough = max(count.through, window.rows.isEnd ? window.upper : count.through)
    }

    /// Handles a failed read.
    mutating func fail(_ slot: String, _ words: String) -> [Effect] {
        if let load = Load(rawValue: slot) { loads.remove(load) }
        share = nil
        isBehind = false
        guard hasRead || slot != Load.page.rawValue else {
            problem = words
            return []
        }
        return [.notify(.problem(words))]
    }
}

/// The listed messages around the visible part, and the range that was scanned for them: a sieve
/// may have omitted everything beyond the first or the last of them.
struct MessageWindow: Sendable {
    private(set) var rows = RowWindow<MessageRow>()
    /// Messages from `lower` to `upper` were scanned, both included.
    private(set) var lower: Int64 = 0
    private(set) var upper: Int64 = -1

    /// Where listing starts over.
    enum Start: Sendable, Hashable {
        case first, last
        /// At the message with a position, or the nearest one.
        case around(Int64)
    }

    /// Starts over with nothing scanned.
    mutating func begin(_ start: Start) {
        switch start {
        case .first: begin(at: 0, isStart: true, isEnd: false)
        case .last: begin(at: .max, isStart: false, isEnd: true)
        case .around(let position): begin(at: position, isStart: position <= 0, isEnd: false)
        }
    }

    private mutating func begin(at position: Int64, isStart: Bool, isEnd: Bool) {
        rows.replace([], isStart: isStart, isEnd: isEnd)
        lower = position
        upper = isEnd ? -1 : position &- 1
    }

    /// Takes the messages found on one side.
    mutating func take(_ slice: MessageSlice) {
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
        let former = (first: rows.rows.first?.position, last: rows.rows.last?.position)
        let fresh = slice.rows.drop { row in former.last.map { row.position <= $0 } ?? false }
        rows.append(Array(fresh), isEnd: slice.isAtEdge)
        // Rows that were dropped have to be scanned again.
        if let first = rows.rows.first?.position, let known = former.first, first > known {
            lower = first
        }
        let count = rows.rows.count
        rows.dropLastRows()
        noteDropped(count)
    }

    private mutating func prepend(_ slice: MessageSlice) {
        let former = rows.rows.first?.position
        let fresh = slice.rows.prefix { row in former.map { row.position < $0 } ?? true }
        if slice.isAtEdge { lower = 0 }
        let count = rows.rows.count + fresh.count
        rows.prepend(Array(fresh), isStart: slice.isAtEdge)
        noteDropped(count)
    }

    private mutating func noteDropped(_ count: Int) {
        if rows.rows.count < count, let last = rows.rows.last { upper = last.position }
    }

    /// Moves within the rows.
    mutating func change(_ body: (inout RowWindow<MessageRow>) -> Void) { body(&rows) }
}
