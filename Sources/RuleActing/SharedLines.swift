internal import ProxydRules
internal import Synchronization

/// The lines of all rules that slow traffic down.
final class SharedLines: Sendable {
    private struct Key: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let name: ThrottleLineName
        let direction: ThrottleDirection
    }

    /// A weak reference: an unused line is released, and created again when needed.
    private struct Entry {
        weak var line: SharedLine?
    }

    /// Identifies all lines of a seeded rule in one direction.
    private struct Seeded: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let direction: ThrottleDirection
    }

    private struct State {
        var lines: [Key: Entry] = [:]
        /// How many flows the lines of a seeded rule have had, so that its random sequence
        /// continues.
        var flowCounts: [Seeded: FlowCount] = [:]
    }

    private let state = Mutex(State())

    /// Returns the line of a rule; its users retain it.
    func line(
        of rule: String, _ throttle: RuleThrottle, _ name: ThrottleLineName,
        _ direction: ThrottleDirection
    ) -> SharedLine {
        let key = Key(rule: rule, throttle: throttle, name: name, direction: direction)
        return state.withLock { state in
            if let line = state.lines[key]?.line { return line }
            state.lines = state.lines.filter { $0.value.line != nil }
            let line = SharedLine(throttle, direction, flows: flowCount(of: key, &state))
            state.lines[key] = Entry(line: line)
            return line
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

    /// Returns a shared count for all lines of a seeded rule in one direction, or a new one without
    /// a seed.
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
