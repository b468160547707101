internal import ProxydEventLoops
internal import ProxydProxyEngine
internal import ProxydRules

/// Lets the bodies of one exchange pass as a slow network would. Confined to its loop.
final class ThrottlePace: PaceActor {
    private let up: SharedLine
    private let down: SharedLine
    private var flows: [PaceDirection: ThrottleFlow] = [:]
    private var decisions: [PaceDirection: Decision<Int>] = [:]

    init(up: SharedLine, down: SharedLine) {
        self.up = up
        self.down = down
    }

    deinit {
        for (direction, flow) in flows { line(direction).end(flow) }
    }

    func pass(_ byteCount: Int, _ direction: PaceDirection, _ go: Decision<Int>) {
        decisions[direction] = go
        let line = line(direction)
        let flow = flows[direction] ?? begin(direction, on: go.loop)
        line.waits(byteCount, of: flow, on: go.loop)
    }

    private func line(_ direction: PaceDirection) -> SharedLine {
        direction == .upstream ? up : down
    }

    private func begin(_ direction: PaceDirection, on loop: EventLoop) -> ThrottleFlow {
        let flow = line(direction).begin(on: loop) { [weak self] count in
            self?.decisions.removeValue(forKey: direction)?.make(count)
        }
        flows[direction] = flow
        return flow
    }
}
