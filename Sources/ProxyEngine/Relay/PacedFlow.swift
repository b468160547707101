internal import ProxydEventLoops

/// Bytes of one direction on their way past a pace. Confined to its loop.
///
/// ```
/// idle ──bytes──▶ deciding ──go──▶ idle, or deciding about what came meanwhile
/// ```
final class PacedFlow {
    private let pace: any PaceActor
    private let direction: PaceDirection
    private let loop: EventLoop
    /// Where bytes go on.
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    private var waiting: [UInt8] = []
    private var decision: Decision<Int>?
    private var isPaused = false
    /// What follows the last byte.
    private var end: (() -> Void)?

    init(
        _ pace: any PaceActor, _ direction: PaceDirection, on loop: EventLoop,
        deliver: @escaping (Span<UInt8>) -> Void, setPaused: @escaping (Bool) -> Void
    ) {
        self.pace = pace
        self.direction = direction
        self.loop = loop
        self.deliver = deliver
        self.setPaused = setPaused
    }

    /// Bytes came.
    func push(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        next()
        notePause()
    }

    /// The last byte has come; `end` is called after it went on.
    func finish(_ end: @escaping () -> Void) {
        guard decision == nil, waiting.isEmpty else { return self.end = end }
        end()
    }

    /// Nothing goes on any more.
    func cancel() {
        decision?.withdraw()
        decision = nil
        waiting = []
        end = nil
    }

    private func next() {
        while decision == nil, !waiting.isEmpty {
            let decision = Decision<Int>(on: loop) { [weak self] in self?.go($0) }
            self.decision = decision
            pace.pass(waiting.count, direction, decision)
        }
    }

    private func go(_ byteCount: Int) {
        decision = nil
        let count = min(max(byteCount, 1), waiting.count)
        let octets = Array(waiting[..<count])
        waiting.removeFirst(count)
        deliver(octets.span)
        next()
        notePause()
        guard decision == nil, waiting.isEmpty, let end else { return }
        self.end = nil
        end()
    }

    /// The source rests while much waits.
    private func notePause() {
        let isMuch = waiting.count >= StreamWatermarks.lowByteCount
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }
}
