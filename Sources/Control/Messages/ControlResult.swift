public import Foundation

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
    /// Whether TLS to a host is opened from now on.
    case interception(isOpened: Bool)
    /// What is held, oldest first.
    case holds(holds: [HoldMessage])
    /// A piece of a part of a held message, and how many bytes the part has.
    case octets(octets: Data, byteCount: Int)
    /// The numbers that were taken, ascending.
    case identifiers(exchanges: [Int64], connections: [Int64])
}
