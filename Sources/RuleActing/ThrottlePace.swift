internal import ProxydProxyEngine
internal import ProxydRules

/// Lets the bytes of one exchange, or of one connection, pass at the speed of a slow network.
/// Confined to its loop.
final class ThrottlePace: PaceActor {
    /// The simulated network.
    let throttle: RuleThrottle
    private let up: ThrottleLane
    private let down: ThrottleLane

    init(_ throttle: RuleThrottle, up: ThrottleLane, down: ThrottleLane) {
        self.throttle = throttle
        self.up = up
        self.down = down
    }

    private func lane(_ direction: PaceDirection) -> ThrottleLane {
        switch direction {
        case .upstream: up
        case .downstream: down
        }
    }

    func pass(
        _ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>
    ) {
        lane(direction).pass(byteCount, decision)
    }

    func grew(to byteCount: Int, _ direction: PaceDirection) {
        lane(direction).grew(to: byteCount)
    }

    func byteCountAheadMax(_ direction: PaceDirection) -> Int {
        lane(direction).byteCountAheadMax
    }
}
