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

    private let lines = Mutex<[Key: Entry]>([:])

    /// The line of a rule; its users hold it.
    func line(
        of rule: String, _ throttle: RuleThrottle, _ name: ThrottleLineName,
        _ direction: ThrottleDirection
    ) -> SharedLine {
        let key = Key(rule: rule, throttle: throttle, name: name, direction: direction)
        return lines.withLock { lines in
            if let line = lines[key]?.line { return line }
            lines = lines.filter { $0.value.line != nil }
            let line = SharedLine(throttle, direction)
            lines[key] = Entry(line: line)
            return line
        }
    }
}
