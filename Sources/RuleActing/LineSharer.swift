internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydRules

/// Finds the slow lines that an exchange or a connection shares with others.
struct LineSharer {
    private let lines: SharedLines
    private let host: String
    private let client: String
    private let connection: ConnectionID

    init(
        _ lines: SharedLines, _ host: String, _ peer: SocketAddress, _ connection: ConnectionID
    ) {
        self.lines = lines
        self.host = host.lowercased()
        client = peer.ip
        self.connection = connection
    }

    /// Returns the pace of a rule's network.
    /// - Parameter isConnection: Whether it applies to all bytes of a connection, instead of the
    ///   bodies of one exchange.
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
