internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// One direction of traffic over a slow network: a flow on a line. Confined to its loop.
final class ThrottleLane {
    private let line: SharedLine
    private let source: ThrottleSource
    private let direction: ThrottleDirection
    private let goesThroughPipe: Bool
    private var flow: ThrottleFlow?
    private var decision: Decision<PaceVerdict>?
    /// The number of bytes that were reported to the line and have not arrived.
    private var waitingByteCount = 0
    private var passedByteCount: Int64 = 0
    /// How it ended early; nil if it has not.
    private var end: ThrottleEnd?

    /// Creates a lane, which joins the line with the first bytes.
    /// - Parameters:
    ///   - source: The rule and phase to record.
    ///   - goesThroughPipe: Whether its bytes also take the latency of the pipe.
    init(
        _ line: SharedLine, _ direction: ThrottleDirection, source: ThrottleSource,
        throughPipe goesThroughPipe: Bool
    ) {
        self.line = line
        self.direction = direction
        self.source = source
        self.goesThroughPipe = goesThroughPipe
    }

    deinit { if let flow { line.end(flow) } }

    /// The number of bytes that may wait before reading from their source pauses.
    var byteCountAheadMax: Int {
        StreamWatermarks.lowByteCount + (goesThroughPipe ? line.byteCountInPipe : 0)
    }

    func pass(_ byteCount: Int, _ decision: Decision<PaceVerdict>) {
        self.decision = decision
        if let end { return breakOff(end) }
        grew(to: byteCount)
    }

    func grew(to byteCount: Int) {
        let count = byteCount - waitingByteCount
        guard let loop = decision?.loop, count > 0 else { return }
        waitingByteCount += count
        line.add(count, of: takePlace(on: loop), on: loop)
    }

    private func takePlace(on loop: EventLoop) -> ThrottleFlow {
        if let flow { return flow }
        let flow = line.begin(on: loop, throughPipe: goesThroughPipe) { [weak self] in
            self?.arrived($0)
        }
        self.flow = flow
        return flow
    }

    private func arrived(_ kind: ThrottleArrival.Kind) {
        switch kind {
        case .bytes(let count):
            waitingByteCount -= count
            passedByteCount += Int64(count)
            let decision = decision
            self.decision = nil
            decision?.make(.go(byteCount: count))
        case .failure: breakOff(.failure)
        case .cut: breakOff(.cut)
        }
    }

    private func breakOff(_ end: ThrottleEnd) {
        self.end = end
        guard let decision else { return }
        self.decision = nil
        decision.note(.appliedRule(source.applied(end, afterByteCount: passedByteCount, direction)))
        let failure = ExchangeFailure(origin: .rule, kind: .blocked, message: source.rule)
        decision.make(.end(end == .failure ? .reset : .close, because: failure))
    }
}
