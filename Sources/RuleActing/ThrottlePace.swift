internal import ProxydProxyEngine
internal import ProxydRules

/// Lets the bytes of one exchange, or of one connection, pass as a slow network would. Confined to
/// its loop.
final class ThrottlePace: PaceActor {
    private let up: ThrottleLane
    private let down: ThrottleLane

    init(up: ThrottleLane, down: ThrottleLane) {
        self.up = up
        self.down = down
    }

    func pass(
        _ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>
    ) {
        switch direction {
        case .upstream: up.pass(byteCount, decision)
        case .downstream: down.pass(byteCount, decision)
        }
    }
}
