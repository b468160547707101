internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// How slow one exchange is made. Confined to its loop.
struct ExchangeNetwork {
    private let sharer: LineSharer
    /// The network that the exchange goes over; nil for one that slows nothing down.
    private var throttle: RuleThrottle?
    private var throttled: ThrottlePace?
    /// The pace of a capture that answers.
    private var recorded: RecordedPace?

    /// - Parameter pace: That of its connection; nil for none.
    init(_ sharer: LineSharer, _ pace: ThrottlePace?) {
        self.sharer = sharer
        throttle = pace?.throttle
        throttled = pace
    }

    /// How bodies go on. A network that a rule names counts for more than one that was.
    var pace: (any PaceActor)? { throttled ?? recorded }

    /// Takes the network that rules name, and tells how long a head is on its way over it.
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
        return profile.oneWayNs + Int64(byteCount) * 1_000_000_000 / Int64(rate)
    }

    /// Goes at a capture's pace where it is asked for; how long it takes to begin.
    mutating func beginNs(_ reply: MockShelf.Reply) -> Int64 {
        guard let timing = reply.timing, case .answer(let answer, _) = reply.served else {
            return 0
        }
        recorded = RecordedPace(durationNs: timing.bodyNs, byteCount: answer.body.count)
        return timing.firstByteNs
    }

    /// Lets go of the lines that are shared.
    mutating func end() {
        throttled = nil
        recorded = nil
    }
}
