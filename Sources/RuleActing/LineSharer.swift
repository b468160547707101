internal import ProxydHTTPModel
internal import ProxydRules

/// Whom an exchange shares slow lines with.
struct LineSharer {
    let lines: SharedLines
    let host: String
    let client: String
    let connection: ConnectionID

    /// The pace of a rule's network.
    func pace(_ throttle: RuleThrottle, by source: ThrottleSource) -> ThrottlePace {
        let name = throttle.scope.line(
            host: host, client: client, connection: connection.rawValue)
        func lane(_ direction: ThrottleDirection) -> ThrottleLane {
            let line = lines.line(of: source.rule, throttle, name, direction)
            return ThrottleLane(line, direction, source: source)
        }
        return ThrottlePace(up: lane(.up), down: lane(.down))
    }
}
