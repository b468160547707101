internal import Synchronization

/// The messages or events of a WebSocket as they arrive. Awaiting the first element starts the
/// request if the session starts requests automatically.
///
/// While no element is requested, at most about 512 KiB more is read from the server: a slow
/// program slows the server down. Several sequences of one WebSocket each get everything that
/// arrives after their creation, at the pace of the slowest. Releasing the last iterated sequence
/// cancels the request, unless it was created otherwise. Iterate a sequence only once.
public struct WebSocketSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    typealias Transform =
        @Sendable (WebSocketRequest.Event<WebSocketRequest.Message, Never>) throws(Failure) ->
        Element?

    private let subscription: WebSocketSubscription
    private let transform: Transform

    init(_ request: WebSocketRequest, _ isCancelling: Bool, _ transform: @escaping Transform) {
        subscription = WebSocketSubscription(request, isCancelling: isCancelling)
        self.transform = transform
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: WebSocketSubscription
        fileprivate let transform: Transform

        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            while let event = await subscription.next() {
                if let element = try transform(event) { return element }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        subscription.begin()
        return AsyncIterator(subscription: subscription, transform: transform)
    }
}

/// A subscription to a WebSocket, which ends when it is released.
final class WebSocketSubscription: Sendable {
    private let request: WebSocketRequest
    private let id: Int
    private let isCancelling: Bool
    private let hasBegun = Atomic<Bool>(false)

    init(_ request: WebSocketRequest, isCancelling: Bool) {
        self.request = request
        self.isCancelling = isCancelling
        id = request.conversation.events.subscribe()
    }

    deinit { leave() }

    func begin() { hasBegun.store(true, ordering: .relaxed) }

    func next() async -> WebSocketRequest.Event<WebSocketRequest.Message, Never>? {
        request.core.resumeAutomatically(request)
        return await withTaskCancellationHandler {
            await request.conversation.events.next(for: id)
        } onCancel: {
            leave()
        }
    }

    private func leave() {
        let isLast = request.conversation.events.unsubscribe(id)
        if isLast, isCancelling, hasBegun.load(ordering: .relaxed) { request.cancel() }
    }
}

/// Delivers values to all subscribers, each at its own pace. The sender waits for the slowest
/// subscriber once too much is queued for it. Values before the first subscriber are kept for it.
final class Broadcast<Element: Sendable>: Sendable {
    /// From this many queued bytes of a subscriber on, the sender waits.
    static var queuedByteCountMax: Int { 256 << 10 }

    private typealias Continuation = UnsafeContinuation<Void, Never>
    private typealias Continuations = [UnsafeContinuation<Void, Never>]

    private struct Queue {
        var elements: [(Element, byteCount: Int)] = []
        var first = 0
        var byteCount = 0
        /// Whether nothing has been removed so far.
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
            // Removed elements are released in batches, not one by one.
            if first == elements.count || first >= 64 {
                elements.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    private struct State {
        var queues: [Int: Queue] = [:]
        /// Values queued for the first subscriber, or nil once there was one.
        var backlog: Queue? = Queue()
        var lastID = 0
        var isOver = false
        /// Whether the sender no longer waits: values that do not fit are dropped.
        var isHurried = false
        var giver: Continuation?

        var isFull: Bool {
            let limit = Broadcast<Element>.queuedByteCountMax
            if let backlog, backlog.byteCount >= limit { return true }
            return queues.values.contains { $0.byteCount >= limit }
        }

        mutating func takeGiver() -> Continuation? {
            guard isHurried || isOver || !isFull else { return nil }
            defer { giver = nil }
            return giver
        }

        /// Adds a value; returns the tasks that wait for one.
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

    var isSenderWaiting: Bool { state.withLock { $0.giver != nil } }

    // MARK: Sending

    /// Sends a value to all subscribers, and waits until there is room for more. A value of 0 bytes
    /// always fits. Only one task may call this at a time.
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

    /// Stops waiting from now on: values for slow subscribers are dropped.
    func hurry() {
        let giver = state.withLock { state in
            state.isHurried = true
            return state.takeGiver()
        }
        giver?.resume()
    }

    /// Ends the broadcast with a last value, which always fits.
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

    // MARK: Receiving

    /// Adds a subscriber; the first one gets all earlier values.
    func subscribe() -> Int {
        state.withLock { state in
            state.lastID += 1
            state.queues[state.lastID] = state.backlog ?? Queue()
            state.backlog = nil
            return state.lastID
        }
    }

    /// Removes a subscriber; returns whether none is left. If the last one took nothing, its values
    /// are kept for the next.
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

    /// The next value for a subscriber, or nil at the end and after unsubscribing. Only one task
    /// may call this at a time.
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
