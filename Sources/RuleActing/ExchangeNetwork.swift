internal import ProxydCivilTime
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// The simulated network of one exchange. Confined to its loop.
struct ExchangeNetwork {
    private let sharer: LineSharer
    /// The network that the exchange uses; nil if nothing is slowed down.
    private var throttle: RuleThrottle?
    private var throttled: ThrottlePace?
    /// The pace of a capture that answers.
    private var recorded: RecordedPace?

    /// - Parameter pace: The pace of the exchange's connection; nil if there is none.
    init(_ sharer: LineSharer, _ pace: ThrottlePace?) {
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
    mutating func beginNs(_ reply: MockShelf.Reply) -> Int64 {
        guard let timing = reply.timing, case .answer(let answer, _) = reply.served else {
            return 0
        }
        recorded = RecordedPace(durationNs: timing.bodyNs, byteCount: answer.body.count)
        return timing.firstByteNs
    }

    /// Releases the shared lines.
    mutating func end() {
        throttled = nil
        recorded = nil
    }
}
