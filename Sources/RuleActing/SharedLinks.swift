internal import ProxydEventLoops
internal import ProxydRules
internal import Synchronization

/// The links of all rules that slow traffic down.
final class SharedLinks: Sendable {
    private struct Key: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let name: ThrottleLinkName
        let direction: ThrottleDirection
    }

    /// A weak reference: an unused link is released, and created again when needed.
    private struct Entry {
        weak var link: SharedLink?
    }

    /// Identifies all links of a seeded rule in one direction.
    private struct Seeded: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let direction: ThrottleDirection
    }

    private struct State {
        var links: [Key: Entry] = [:]
        /// How many flows seeded links have had, so that their random sequence continues.
        var flowCounts: [Seeded: FlowCount] = [:]
    }

    private let state = Mutex(State())

    /// Returns the link of a rule; its users retain it.
    func link(
        of rule: String, _ throttle: RuleThrottle, _ name: ThrottleLinkName,
        _ direction: ThrottleDirection
    ) -> SharedLink {
        let key = Key(rule: rule, throttle: throttle, name: name, direction: direction)
        return state.withLock { state in
            if let link = state.links[key]?.link { return link }
            state.links = state.links.filter { $0.value.link != nil }
            let link = SharedLink(throttle, direction, flows: flowCount(of: key, &state))
            state.links[key] = Entry(link: link)
            return link
        }
    }

    /// The rules have changed: the flow counts of rules that were removed, or have another throttle
    /// now, are dropped. If such a rule returns, its flows are numbered from 1 again.
    func keepOnly(_ rules: RuleSet) {
        let throttles = Dictionary(
            rules.rules.map { ($0.name, $0.throttles) }, uniquingKeysWith: { $0.union($1) })
        state.withLock { state in
            state.flowCounts = state.flowCounts.filter { seeded, _ in
                throttles[seeded.rule]?.contains(seeded.throttle) == true
            }
        }
    }

    /// Returns the count that a seeded rule's links in a direction share; new without a seed.
    private func flowCount(of key: Key, _ state: inout State) -> FlowCount {
        guard key.throttle.profile.seed != nil else { return FlowCount() }
        let shared = Seeded(rule: key.rule, throttle: key.throttle, direction: key.direction)
        if let count = state.flowCounts[shared] { return count }
        let count = FlowCount()
        state.flowCounts[shared] = count
        return count
    }
}

extension Rule {
    /// The networks that the rule simulates.
    fileprivate var throttles: Set<RuleThrottle> {
        Set(
            actions.values.joined().compactMap { action in
                if case .throttle(let throttle) = action.verb { throttle } else { nil }
            })
    }
}

/// One direction of a slow network that exchanges on any loops share.
final class SharedLink: Sendable {
    private struct State {
        var link: ThrottleLink
        /// When the next timer fires: there is only one active timer per link.
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
        state = Mutex(State(link: ThrottleLink(profile, direction, seed: seed)))
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

    func end(_ flow: ThrottleFlow) {
        state.withLock { state in
            state.link.remove(flow)
            state.listeners[flow] = nil
        }
    }

    /// Reports that more bytes of a flow wait. On its loop.
    func add(_ byteCount: Int, of flow: ThrottleFlow, on loop: EventLoop) {
        let now = loop.now
        state.withLock { $0.link.add(byteCount, of: flow, atNs: now) }
        setTimer(on: loop)
    }

    /// The loop of any waiting flow runs the timer; arrivals go to the loops of their flows.
    private func setTimer(on loop: EventLoop) {
        let next: Int64? = state.withLock { state in
            guard let due = state.link.nextDueNs, due < state.wakeNs else { return nil }
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
            state.link.arrivals(byNs: now).map { ($0, state.listeners[$0.flow]) }
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

/// Assigns numbers to flows.
final class FlowCount: Sendable {
    private let count = Atomic<Int64>(0)

    /// Returns the next number, from 1.
    func next() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
