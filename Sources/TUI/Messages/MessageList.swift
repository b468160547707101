internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

/// The messages of one exchange as a list: those around what is seen, read page by page.
struct MessageList: Sendable {
    typealias Effect = DetailScreen.Effect

    /// What is being read.
    enum Load: String, Sendable, Hashable, CaseIterable {
        case page = "messages.page"
        case before = "messages.before"
        case after = "messages.after"
        case news = "messages.news"
    }

    static let countSlot = "messages.count"
    /// New messages taken over at once.
    private static let newsCountMax = 1_000

    let exchange: ExchangeID
    private(set) var window = MessageWindow()
    private(set) var sieve: MessageSieve
    /// Whether what comes is shown as it comes.
    private(set) var isFollowing: Bool
    /// The position of the last message there is; -1 where there is none.
    private(set) var last: Int64 = -1
    /// How messages of gRPC are read; nil where there are none.
    private(set) var grpc: GRPCReading?
    /// How many messages pass the filter.
    private(set) var matches = ListScreen.RowCount.unknown
    /// The share of the messages that was looked at, where that takes long.
    private(set) var share: Double?
    /// Why there is nothing to show.
    private(set) var problem: String?
    /// Whether messages were ever read.
    private(set) var hasRead = false
    /// Whether the rows that stand there are those of another filter.
    private(set) var isBehind = false
    /// Whether reading was given up.
    private(set) var isStopped = false
    private var loads: Set<Load> = []
    private var hasNews = false
    /// The message that was selected last: where a list without it goes back to.
    private var place: Int64?
    /// Rows between the top and the selected one, to be kept when the list begins anew.
    private var distance: Int?
    /// Up to which position matches were counted.
    private var countedThrough: Int64 = -1
    private var unseen = UnseenRows()

    /// A list that follows what comes where the exchange goes on.
    init(_ exchange: ExchangeID, isActive: Bool, hidesPings: Bool) {
        self.exchange = exchange
        isFollowing = isActive
        sieve = MessageSieve(hidesPings: hidesPings)
    }

    var selected: MessageRow? { window.rows.selectedRow }
    var isReading: Bool { loads.contains(.page) }
    /// Messages that came since the last one was in sight.
    var newCount: Int64 {
        isFollowing ? 0 : unseen.newCount(lastID: last, count: nil, isFiltered: false)
    }

    // MARK: Moving

    /// Says how many rows are seen.
    mutating func fit(rows: Int) { window.change { $0.height = max(1, rows) } }

    /// Moves the selection, which ends following.
    mutating func move(by count: Int) -> [Effect] {
        guard !window.rows.isEmpty else { return [] }
        window.change { $0.move(by: count) }
        return moved(isUp: count < 0)
    }

    /// Moves what is seen.
    mutating func scroll(by count: Int) -> [Effect] {
        window.change { $0.scroll(by: count) }
        return moved(isUp: count < 0)
    }

    /// Selects the message at a row of the screen; nil where there is none. Whether it was selected
    /// already.
    mutating func select(row: Int) -> (wasSelected: Bool, effects: [Effect])? {
        let former = selected?.position
        var isThere = false
        window.change { isThere = $0.select(visible: row) }
        guard isThere else { return nil }
        return (selected?.position == former, moved(isUp: !isLastSelected))
    }

    /// Goes to an end of all messages, which may have to be read first.
    mutating func jump(toFirst isFirst: Bool) -> [Effect] {
        isFollowing = !isFirst
        guard isFirst ? window.rows.isStart : window.rows.isEnd, hasRead, !isReading else {
            return begin(isFirst ? .first : .last)
        }
        window.change { if isFirst { $0.selectFirst() } else { $0.selectLast() } }
        return moved(isUp: isFirst)
    }

    /// Goes to a message; where it is not listed, to the nearest one that is.
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

    /// A person moved, which ends following where it was not to the end.
    private mutating func moved(isUp: Bool) -> [Effect] {
        if isUp { isFollowing = false }
        distance = nil
        isStopped = false
        return settle()
    }

    // MARK: What is listed

    /// Lists what another sieve lets through. The selected message stays where it is, or the list
    /// stands at the nearest one that is left.
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

    /// Reads anew.
    mutating func begin(_ start: MessageWindow.Start) -> [Effect] {
        loads = [.page]
        share = nil
        isStopped = false
        if case .around = start { distance = window.rows.selected - window.rows.top }
        let others: [Load] = [.before, .after, .news]
        return others.map { .cancelWork(slot: $0.rawValue) }
            + [.work(MessageWorks.begin(start, exchange, sieve, count: window.rows.pageCount))]
    }

    /// Gives up what is being read.
    mutating func stop() -> [Effect] {
        guard isWorking else { return [] }
        let slots = loads.map(\.rawValue) + [MessageList.countSlot]
        if isBehind {
            // Rows of another filter are not left standing.
            window.begin(.first)
            isBehind = false
        }
        isStopped = true
        loads = []
        share = nil
        if !matches.isKnown { matches = .atLeast(matches.found) }
        return slots.map { .cancelWork(slot: $0) }
    }

    /// Whether something is read or counted that takes long.
    var isWorking: Bool {
        !loads.isDisjoint(with: [.page, .before, .after]) || sieve.isFiltered && !matches.isKnown
    }

    /// Reads on where what is seen comes near an end of what is held.
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

    /// Notes where a person is, and reads on.
    private mutating func settle() -> [Effect] {
        if let position = selected?.position { place = position }
        if isFollowing || isLastSelected { unseen.see(lastID: last, count: nil) }
        return more()
    }

    // MARK: What comes

    /// Looks for new messages, after the store has changed.
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

    /// A piece of what a work reads; the last one of it where `isFinal`.
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

    /// Puts the selection where the list began.
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

    /// So many were counted so far.
    mutating func takeCounted(_ number: Int64) { matches = .counting(number) }

    mutating func take(_ count: MessageCount) {
        // What came while they were counted.
        let newer =
            window.rows.isEnd
            ? window.rows.rows.count { $0.position > count.through } : 0
        matches = .exactly(count.number + Int64(newer))
        countedThrough = max(count.through, window.rows.isEnd ? window.upper : count.through)
    }

    /// Something could not be read.
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
