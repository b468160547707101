internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Bytes of one direction on their way past a pace. Confined to its loop.
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
    /// Where bytes go on.
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    /// Records what the pace notes.
    private let note: (ExchangeEvent) -> Void
    /// Ends what the bytes belong to, where the pace says so.
    private let breakOff: (ExchangeEnd, ExchangeFailure) -> Void
    private var waiting: [UInt8] = []
    /// How many of those have gone on.
    private var goneCount = 0
    private var decision: Decision<PaceVerdict>?
    /// Whether the pace is being asked: it may answer at once, as often as it is asked.
    private var isAsking = false
    /// Whether the source rests, as much waits.
    private(set) var isPaused = false
    /// Whether nothing goes on any more.
    private var isOver = false
    /// What follows bytes that wait, and how many go before it.
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

    /// Bytes came.
    func push(_ octets: Span<UInt8>) {
        guard !isOver else { return }
        octets.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        if decision != nil { pace.grew(to: waitingCount, direction) }
        next()
        notePause()
    }

    /// Calls `action` when all that has come has gone on: at once where nothing waits. It is not
    /// called where nothing goes on any more.
    func whenGone(_ action: @escaping () -> Void) {
        guard decision == nil, waitingCount == 0 else {
            return marks.append((waitingCount, action))
        }
        action()
    }

    /// Nothing goes on any more.
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

    /// How many bytes wait.
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
        // What is left is moved as seldom as it has to be.
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
        let octets = Array(waiting[goneCount..<(goneCount + count)])
        goneCount += count
        let passed = marksPassed(by: count)
        deliver(octets.span)
        for action in passed where !isOver { action() }
        next()
        notePause()
    }

    /// Takes the marks that so many bytes bring up.
    private func marksPassed(by byteCount: Int) -> [() -> Void] {
        guard !marks.isEmpty else { return [] }
        for place in marks.indices { marks[place].byteCount -= byteCount }
        let passed = marks.prefix { $0.byteCount <= 0 }.map(\.action)
        marks.removeFirst(passed.count)
        return passed
    }

    /// The source rests while much waits.
    private func notePause() {
        let isMuch = waitingCount >= byteCountAheadMax
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }
}
