internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The bytes of one direction that are forwarded at a pace. Confined to its loop.
///
/// ```
/// idle ──bytes──▶ deciding ──go──▶ idle, or deciding about what came meanwhile
///                    └──end──▶ over
/// ```
final class PacedFlow {
    private let pace: any PaceActor
    private let direction: PaceDirection
    private let byteCountAheadMax: Int
    private let loop: EventLoop
    /// Forwards bytes that the pace let through.
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    /// Records events from the pace.
    private let note: (ExchangeEvent) -> Void
    /// Ends the exchange or connection if the pace decides so.
    private let breakOff: (ExchangeEnd, ExchangeFailure) -> Void
    private var waiting: [UInt8] = []
    /// How many bytes of `waiting` have been forwarded.
    private var goneCount = 0
    private var decision: Decision<PaceVerdict>?
    /// Whether the pace is being asked: it may answer immediately, any number of times.
    private var isAsking = false
    /// Whether reading from the source is paused because many bytes wait.
    private(set) var isPaused = false
    /// Whether nothing more is forwarded.
    private var isOver = false
    /// Actions to run once the given number of waiting bytes has been forwarded.
    private var marks: [(byteCount: Int, action: () -> Void)] = []

    init(
        _ pace: any PaceActor, _ direction: PaceDirection, on loop: EventLoop,
        note: @escaping (ExchangeEvent) -> Void, deliver: @escaping (Span<UInt8>) -> Void,
        setPaused: @escaping (Bool) -> Void,
        breakOff: @escaping (ExchangeEnd, ExchangeFailure) -> Void
    ) {
        self.pace = pace
        self.direction = direction
        byteCountAheadMax = pace.byteCountAheadMax(direction)
        self.loop = loop
        self.note = note
        self.breakOff = breakOff
        self.deliver = deliver
        self.setPaused = setPaused
    }

    /// Takes bytes to forward.
    func push(_ bytes: Span<UInt8>) {
        guard !isOver else { return }
        bytes.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        if decision != nil { pace.grew(to: waitingCount, direction) }
        next()
        notePause()
    }

    /// Calls `action` once everything that has arrived was forwarded: immediately if nothing waits.
    /// It is never called if the flow is cancelled.
    func whenGone(_ action: @escaping () -> Void) {
        guard decision == nil, waitingCount == 0 else {
            return marks.append((waitingCount, action))
        }
        action()
    }

    /// Stops forwarding and drops what waits.
    func cancel() {
        isOver = true
        decision?.withdraw()
        decision = nil
        waiting = []
        goneCount = 0
        marks = []
    }

    /// Whether bytes wait for the pace.
    var isHolding: Bool { decision != nil }

    /// The number of bytes that wait.
    var waitingCount: Int { waiting.count - goneCount }

    private func next() {
        guard !isAsking else { return }
        isAsking = true
        while decision == nil, waitingCount > 0 {
            let decision = Decision<PaceVerdict>(on: loop, noting: note) { [weak self] in
                self?.decided($0)
            }
            self.decision = decision
            pace.pass(waitingCount, direction, decision)
        }
        isAsking = false
        // Remaining bytes are moved to the front as rarely as possible.
        guard goneCount * 2 >= waiting.count else { return }
        waiting.removeFirst(goneCount)
        goneCount = 0
    }

    private func decided(_ verdict: PaceVerdict) {
        decision = nil
        switch verdict {
        case .go(let byteCount): go(byteCount)
        case .end(let end, let failure):
            cancel()
            breakOff(end, failure)
        }
    }

    private func go(_ byteCount: Int) {
        let count = min(max(byteCount, 1), waitingCount)
        let bytes = Array(waiting[goneCount..<(goneCount + count)])
        goneCount += count
        let passed = marksPassed(by: count)
        deliver(bytes.span)
        for action in passed where !isOver { action() }
        next()
        notePause()
    }

    /// Removes and returns the marks that are reached after this many more bytes.
    private func marksPassed(by byteCount: Int) -> [() -> Void] {
        guard !marks.isEmpty else { return [] }
        for place in marks.indices { marks[place].byteCount -= byteCount }
        let passed = marks.prefix { $0.byteCount <= 0 }.map(\.action)
        marks.removeFirst(passed.count)
        return passed
    }

    /// Pauses the source while many bytes wait.
    private func notePause() {
        let isMuch = waitingCount >= byteCountAheadMax
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }
}
