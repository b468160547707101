internal import ProxydHTTPModel
internal import ProxydRules

/// Whom an exchange shares slow lines with.
struct LineSharer {
    let lines: SharedLines
    let host: String
    let client: String
    let connection: ConnectionID

    /// The pace of a rule's network.
    func pace(_ rule: String, _ throttle: RuleThrottle) -> ThrottlePace {
        let name = throttle.scope.line(
            host: host, client: client, connection: connection.rawValue)
        return ThrottlePace(
            up: lines.line(of: rule, throttle, name, .up),
            down: lines.line(of: rule, throttle, name, .down))
    }
}
