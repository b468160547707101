internal import ProxydCivilTime
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// The simulated network of one exchange. Confined to its loop.
struct ExchangeNetwork {
    private let sharer: LinkSharer
    /// The network that the exchange uses; nil if nothing is slowed down.
    private var throttle: RuleThrottle?
    private var throttled: ThrottlePace?
    /// The pace of a capture that answers.
    private var recorded: RecordedPace?

    /// - Parameter pace: The pace of the exchange's connection; nil if there is none.
    init(_ sharer: LinkSharer, _ pace: ThrottlePace?) {
        self.sharer = sharer
        throttle = pace?.throttle
        throttled = pace
    }

    /// The pace of bodies. A network set by a rule takes precedence over a recorded pace.
    var pace: (any PaceActor)? { throttled ?? recorded }

    /// Takes the network set by rules, and returns how long a head takes over it, in nanoseconds.
    mutating func headNs(
        _ notes: PhaseNotes, _ direction: ThrottleDirection, byteCount: Int
    ) -> Int64 {
        if let (rule, named) = notes.throttle {
            throttle = named
            let phase: RulePhase = direction == .up ? .request : .response
            throttled = sharer.pace(named, by: ThrottleSource(rule: rule, phase: phase))
        }
        guard let profile = throttle?.profile else { return 0 }
        guard let rate = profile.bytesPerSecond(direction), rate > 0 else {
            return profile.oneWayNs
        }
        return profile.oneWayNs + Nanoseconds.clamping(seconds: Int64(byteCount)) / Int64(rate)
    }

    /// Uses a capture's pace if the rule asks for it; returns how long the response takes to start,
    /// in nanoseconds.
    mutating func beginNs(_ reply: MockServer.Reply) -> Int64 {
        guard let timing = reply.timing, case .answer(let answer, _) = reply.served else {
            return 0
        }
        recorded = RecordedPace(durationNs: timing.bodyNs, byteCount: answer.body.count)
        return timing.firstByteNs
    }

    /// Releases the shared links.
    mutating func end() {
        throttled = nil
        recorded = nil
    }
}

/// Finds the slow links that an exchange or a connection shares with others.
struct LinkSharer {
    private let links: SharedLinks
    private let host: String
    private let client: String
    private let connection: ConnectionID

    init(_ links: SharedLinks, _ host: String, _ peer: SocketAddress, _ connection: ConnectionID) {
        self.links = links
        self.host = host.lowercased()
        client = peer.ip
        self.connection = connection
    }

    /// Returns the pace of a rule's network.
    /// - Parameter isConnection: Whether it applies to all bytes of a connection, instead of the
    ///   bodies of one exchange.
    func pace(
        _ throttle: RuleThrottle, by source: ThrottleSource, isConnection: Bool = false
    ) -> ThrottlePace {
        let name = throttle.scope.link(host: host, client: client, connection: connection.rawValue)
        func flow(_ direction: ThrottleDirection) -> ThrottledFlow {
            let link = links.link(of: source.rule, throttle, name, direction)
            return ThrottledFlow(link, direction, source: source, throughPipe: isConnection)
        }
        return ThrottlePace(throttle, up: flow(.up), down: flow(.down))
    }
}

/// Lets the bytes of one exchange, or of one connection, pass at the speed of a slow network.
/// Confined to its loop.
final class ThrottlePace: PaceActor {
    let throttle: RuleThrottle
    private let up: ThrottledFlow
    private let down: ThrottledFlow

    init(_ throttle: RuleThrottle, up: ThrottledFlow, down: ThrottledFlow) {
        self.throttle = throttle
        self.up = up
        self.down = down
    }

    private func flow(_ direction: PaceDirection) -> ThrottledFlow {
        switch direction {
        case .upstream: up
        case .downstream: down
        }
    }

    func pass(_ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>) {
        flow(direction).pass(byteCount, decision)
    }

    func grew(to byteCount: Int, _ direction: PaceDirection) { flow(direction).grew(to: byteCount) }

    func byteCountAheadMax(_ direction: PaceDirection) -> Int { flow(direction).byteCountAheadMax }
}

/// One direction of traffic over a slow network: a flow on a link. Confined to its loop.
final class ThrottledFlow {
    private let link: SharedLink
    private let source: ThrottleSource
    private let direction: ThrottleDirection
    private let goesThroughPipe: Bool
    private var flow: ThrottleFlow?
    private var decision: Decision<PaceVerdict>?
    /// The number of bytes that were reported to the link and have not arrived.
    private var waitingByteCount = 0
    private var passedByteCount: Int64 = 0
    /// How it ended early; nil if it has not.
    private var end: ThrottleEnd?

    /// Creates a flow, which joins the link with the first bytes.
    /// - Parameter goesThroughPipe: Whether its bytes also take the latency of the pipe.
    init(
        _ link: SharedLink, _ direction: ThrottleDirection, source: ThrottleSource,
        throughPipe goesThroughPipe: Bool
    ) {
        self.link = link
        self.direction = direction
        self.source = source
        self.goesThroughPipe = goesThroughPipe
    }

    deinit { if let flow { link.end(flow) } }

    var byteCountAheadMax: Int {
        StreamWatermarks.lowByteCount + (goesThroughPipe ? link.byteCountInPipe : 0)
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
        link.add(count, of: takePlace(on: loop), on: loop)
    }

    private func takePlace(on loop: EventLoop) -> ThrottleFlow {
        if let flow { return flow }
        let flow = link.begin(on: loop, throughPipe: goesThroughPipe) { [weak self] in
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

/// Lets the body of an answer take as long as it took when it was recorded. Confined to its loop.
final class RecordedPace: PaceActor {
    private static let pieceNs = 10_000_000.0

    private let durationNs: Double
    private let byteCount: Double
    private var goneCount = 0
    /// When `pass` was first called; nil before.
    private var startNs: Int64?

    /// - Parameter durationNs: How long the body takes; 0 for no delay.
    init(durationNs: Int64, byteCount: Int) {
        self.durationNs = Double(durationNs)
        self.byteCount = Double(byteCount)
    }

    func pass(_ waiting: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>) {
        guard direction == .downstream, durationNs > 0, byteCount > 0 else {
            return decision.make(.go(byteCount: waiting))
        }
        let now = decision.loop.now
        let start = startNs ?? now
        startNs = start
        let share = byteCount * RecordedPace.pieceNs / durationNs
        let piece = share < Double(waiting) ? max(1, Int(share)) : waiting
        goneCount += piece
        let dueNs = durationNs * min(1, Double(goneCount) / byteCount)
        decision.loop.schedule(afterNs: max(0, start &+ Int64(dueNs) &- now)) {
            decision.make(.go(byteCount: piece))
        }
    }
}
