internal import ProxydHTTPModel

/// When each request of a run begins, on the run's clock.
struct ReplaySchedule {
    private let delayNs: Int64
    private let jitterNs: Int64
    private let pacing: ReplayPlan.Pacing
    private var generator: SeededGenerator
    private var lastNs: Int64?
    /// When the first original began, on the wall clock, and when its replay did.
    private var anchor: (wallNs: Int64, startNs: Int64)?

    init(_ plan: ReplayPlan) {
        delayNs = max(0, plan.delay.nanoseconds)
        jitterNs = max(0, plan.jitter.nanoseconds)
        pacing = plan.pacing
        generator = SeededGenerator(seed: plan.seed ?? .random(in: 0 ... .max))
    }

    /// When the next request begins, `now` at the earliest.
    mutating func next(_ exchange: Exchange, round: Int, now: Int64) -> Int64 {
        var startNs = now
        if let lastNs { startNs = max(now, lastNs &+ delayNs &+ nextJitterNs()) }
        if pacing == .original, round == 1 {
            let wallNs = exchange.timeline.wallStart
            if let anchor {
                startNs = max(startNs, anchor.startNs &+ max(0, wallNs &- anchor.wallNs))
            } else {
                anchor = (wallNs, startNs)
            }
        }
        lastNs = startNs
        return startNs
    }

    private mutating func nextJitterNs() -> Int64 {
        jitterNs == 0 ? 0 : Int64.random(in: 0...jitterNs, using: &generator)
    }
}

/// Numbers that follow from a seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
