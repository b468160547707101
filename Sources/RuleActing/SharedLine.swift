internal import ProxydEventLoops
internal import ProxydRules
internal import Synchronization

/// One direction of a slow network that exchanges on any loops share.
final class SharedLine: Sendable {
    private struct State {
        var line: ThrottleLine
        /// When the next timer fires: there is only one active timer per line.
        var wakeNs = Int64.max
        /// The receivers of each flow's arrivals.
        var listeners: [ThrottleFlow: LoopBound<(ThrottleArrival.Kind) -> Void>] = [:]
    }

    private let state: Mutex<State>
    private let flows: FlowCount
    /// The maximum number of bytes in transit.
    let byteCountInPipe: Int

    /// - Parameter flows: Assigns numbers to its flows, on which faults depend.
    init(_ throttle: RuleThrottle, _ direction: ThrottleDirection, flows: FlowCount) {
        self.flows = flows
        let profile = throttle.profile
        let seed = profile.seed ?? UInt64.random(in: .min ... .max)
        byteCountInPipe = profile.byteCountInPipe(direction)
        state = Mutex(State(line: ThrottleLine(profile, direction, seed: seed)))
    }

    /// Adds a flow. On its loop.
    /// - Parameter arrived: Called with each arrival of the flow.
    func begin(
        on loop: EventLoop, throughPipe goesThroughPipe: Bool,
        _ arrived: @escaping (ThrottleArrival.Kind) -> Void
    ) -> ThrottleFlow {
        let listener = LoopBound(arrived, loop: loop)
        return state.withLock { state in
            let flow = ThrottleFlow(rawValue: flows.next(), goesThroughPipe: goesThroughPipe)
            state.listeners[flow] = listener
            return flow
        }
    }

    /// Removes a flow that has ended.
    func end(_ flow: ThrottleFlow) {
        state.withLock { state in
            state.line.remove(flow)
            state.listeners[flow] = nil
        }
    }

    /// Reports that more bytes of a flow wait. On its loop.
    func add(_ byteCount: Int, of flow: ThrottleFlow, on loop: EventLoop) {
        let now = loop.now
        state.withLock { $0.line.add(byteCount, of: flow, atNs: now) }
        setTimer(on: loop)
    }

    /// The loop of any waiting flow runs the timer; arrivals are delivered to the loops of their
    /// flows.
    private func setTimer(on loop: EventLoop) {
        let next: Int64? = state.withLock { state in
            guard let due = state.line.nextDueNs, due < state.wakeNs else { return nil }
            state.wakeNs = due
            return due
        }
        guard let due = next else { return }
        loop.schedule(afterNs: max(0, due &- loop.now)) { [weak self] in
            self?.wake(due, on: loop)
        }
    }

    /// A timer that was replaced by an earlier one does nothing.
    private func wake(_ due: Int64, on loop: EventLoop) {
        let isMine = state.withLock { state in
            guard state.wakeNs == due else { return false }
            state.wakeNs = .max
            return true
        }
        if isMine { deliver(on: loop) }
    }

    private func deliver(on loop: EventLoop) {
        let now = loop.now
        let arrivals = state.withLock { state in
            state.line.arrivals(byNs: now).map { ($0, state.listeners[$0.flow]) }
        }
        for case (let arrival, let listener?) in arrivals {
            if listener.loop.isOnLoop {
                listener.value(arrival.kind)
            } else {
                listener.loop.execute { listener.value(arrival.kind) }
            }
        }
        setTimer(on: loop)
    }
}
