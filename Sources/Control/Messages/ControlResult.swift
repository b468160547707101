/// What came of a command that succeeded.
public enum ControlResult: Sendable, Hashable, Codable {
    /// Done, with nothing more to say.
    case done
    /// How the daemon is.
    case status(report: DaemonStatus)
    /// What the daemon knows of servers.
    case serverRules(rules: ServerRulesMessage)
    /// The rules in force.
    case rules(rules: RulesMessage)
    /// How many exchanges a command changed or deleted.
    case affected(exchangeCount: Int)
    /// The numbers that were taken, ascending.
    case identifiers(exchanges: [Int64], connections: [Int64])
}
