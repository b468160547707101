internal import ProxydRules
internal import Synchronization

/// The lines of all rules that slow something down.
final class SharedLines: Sendable {
    private struct Key: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let name: ThrottleLineName
        let direction: ThrottleDirection
    }

    /// Held weakly: a line that no one is on is let go, and begun anew.
    private struct Entry {
        weak var line: SharedLine?
    }

    /// All lines of a seeded rule in a direction.
    private struct Seeded: Hashable {
        let rule: String
        let throttle: RuleThrottle
        let direction: ThrottleDirection
    }

    private struct State {
        var lines: [Key: Entry] = [:]
        /// How many flows the lines of a seed have had: what is drawn goes on where it was.
        var flowCounts: [Seeded: FlowCount] = [:]
    }

    private let state = Mutex(State())

    /// The line of a rule; its users hold it.
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

    /// Other rules are in force: the flows of those that are gone, or slow down otherwise now, are
    /// forgotten. Where one comes back, its flows are numbered from the first again.
    func keepOnly(_ rules: RuleSet) {
        let throttles = Dictionary(
            rules.rules.map { ($0.name, $0.throttles) }, uniquingKeysWith: { $0.union($1) })
        state.withLock { state in
            state.flowCounts = state.flowCounts.filter { seeded, _ in
                throttles[seeded.rule]?.contains(seeded.throttle) == true
            }
        }
    }

    /// One for all lines of a seeded rule in a direction; new ones for others.
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
    /// The networks that it makes.
    fileprivate var throttles: Set<RuleThrottle> {
        Set(
            actions.values.joined().compactMap { action in
                if case .throttle(let throttle) = action.verb { throttle } else { nil }
            })
    }
}
