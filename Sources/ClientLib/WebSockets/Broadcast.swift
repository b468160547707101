internal import Synchronization

/// Hands values to everyone who subscribed, each at their own pace. Who gives waits for the slowest
/// once too much waits for them; what comes before the first subscriber is kept for them.
final class Broadcast<Element: Sendable>: Sendable {
    /// From this many bytes on that wait for someone, who gives waits, too.
    static var heldByteCountMax: Int { 256 << 10 }

    private typealias Continuation = UnsafeContinuation<Void, Never>
    private typealias Continuations = [UnsafeContinuation<Void, Never>]

    private struct Queue {
        var elements: [(Element, byteCount: Int)] = []
        var first = 0
        var byteCount = 0
        /// Whether nothing was taken out so far.
        var isWhole = true
        var taker: Continuation?

        var isEmpty: Bool { first == elements.count }

        mutating func append(_ element: Element, _ count: Int) {
            elements.append((element, count))
            byteCount += count
        }

        mutating func pop() -> Element? {
            guard first < elements.count else { return nil }
            let (element, count) = elements[first]
            first += 1
            byteCount -= count
            isWhole = false
            // What was taken is let go of in time, and not one by one.
            if first == elements.count || first >= 64 {
                elements.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    private struct State {
        var queues: [Int: Queue] = [:]
        /// What waits for the first subscriber; nil once there was one.
        var backlog: Queue? = Queue()
        var lastID = 0
        var isOver = false
        /// Whether no one is waited for any more: what does not fit is left out.
        var isHurried = false
        var giver: Continuation?

        var isFull: Bool {
            let limit = Broadcast<Element>.heldByteCountMax
            if let backlog, backlog.byteCount >= limit { return true }
            return queues.values.contains { $0.byteCount >= limit }
        }

        mutating func takeGiver() -> Continuation? {
            guard isHurried || isOver || !isFull else { return nil }
            defer { giver = nil }
            return giver
        }

        /// Puts a value in; gives those who wait for one.
        mutating func put(_ element: Element, _ count: Int) -> Continuations {
            backlog?.append(element, count)
            var takers: Continuations = []
            for id in queues.keys {
                queues[id]?.append(element, count)
                if let taker = queues[id]?.taker { takers.append(taker) }
                queues[id]?.taker = nil
            }
            return takers
        }
    }

    private let state = Mutex(State())

    /// Whether who gives is waiting for who takes.
    var isHeldUp: Bool { state.withLock { $0.giver != nil } }

    /// Whether anyone subscribes.
    var hasSubscribers: Bool { state.withLock { !$0.queues.isEmpty } }

    // MARK: Giving

    /// Gives a value to everyone, and waits until there is room for more. What takes no room always
    /// fits. For one task at a time.
    func give(_ element: Element, byteCount: Int) async {
        let takers = state.withLock { state -> Continuations in
            if state.isHurried, state.isFull, byteCount > 0 { return [] }
            return state.put(element, byteCount)
        }
        for taker in takers { taker.resume() }
        await withUnsafeContinuation { (continuation: Continuation) in
            let mayGoOn = state.withLock { state in
                if state.isHurried || state.isOver || !state.isFull { return true }
                state.giver = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }

    /// Waits for no one from now on: what is given to who is behind is left out.
    func hurry() {
        let giver = state.withLock { state in
            state.isHurried = true
            return state.takeGiver()
        }
        giver?.resume()
    }

    /// Nothing more comes behind a last value, which always fits.
    func end(with last: Element) {
        let (takers, giver) = state.withLock { state -> (Continuations, Continuation?) in
            guard !state.isOver else { return ([], nil) }
            let takers = state.put(last, 0)
            state.isOver = true
            return (takers, state.takeGiver())
        }
        giver?.resume()
        for taker in takers { taker.resume() }
    }

    // MARK: Taking

    /// A new subscriber; the first one gets what came before.
    func subscribe() -> Int {
        state.withLock { state in
            state.lastID += 1
            state.queues[state.lastID] = state.backlog ?? Queue()
            state.backlog = nil
            return state.lastID
        }
    }

    /// Forgets a subscriber; says whether no one is left. What the last one took nothing of is kept
    /// for the next.
    func unsubscribe(_ id: Int) -> Bool {
        let (taker, giver, isLast) = state.withLock {
            state -> (Continuation?, Continuation?, Bool) in
            var queue = state.queues.removeValue(forKey: id)
            let taker = queue?.taker
            queue?.taker = nil
            let isLast = state.queues.isEmpty
            if isLast, let queue, queue.isWhole { state.backlog = queue }
            return (taker, state.takeGiver(), isLast)
        }
        taker?.resume()
        giver?.resume()
        return isLast
    }

    /// The next value for a subscriber; nil at the end, and after it has unsubscribed. Only one
    /// task may call this at a time.
    func next(for id: Int) async -> Element? {
        while true {
            let (element, giver, isOver) = state.withLock {
                state -> (Element?, Continuation?, Bool) in
                guard let element = state.queues[id]?.pop() else {
                    return (nil, nil, state.isOver || state.queues[id] == nil)
                }
                return (element, state.takeGiver(), false)
            }
            giver?.resume()
            if let element { return element }
            if isOver { return nil }
            await withUnsafeContinuation { (continuation: Continuation) in
                let isThere = state.withLock { state in
                    guard let queue = state.queues[id] else { return true }
                    if !queue.isEmpty || state.isOver { return true }
                    state.queues[id]?.taker = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
