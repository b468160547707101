internal import ProxydHTTPModel
internal import ProxydRules

/// Whom an exchange, or a connection, shares slow lines with.
struct LineSharer {
    let lines: SharedLines
    let host: String
    let client: String
    let connection: ConnectionID

    /// The pace of a rule's network.
    /// - Parameter isConnection: Whether all bytes of a connection go at it, else the bodies of one
    ///   exchange.
    func pace(
        _ throttle: RuleThrottle, by source: ThrottleSource, isConnection: Bool = false
    ) -> ThrottlePace {
        let name = throttle.scope.line(
            host: host, client: client, connection: connection.rawValue)
        func lane(_ direction: ThrottleDirection) -> ThrottleLane {
            let line = lines.line(of: source.rule, throttle, name, direction)
            return ThrottleLane(line, direction, source: source, throughPipe: isConnection)
        }
        return ThrottlePace(throttle, up: lane(.up), down: lane(.down))
    }
}
