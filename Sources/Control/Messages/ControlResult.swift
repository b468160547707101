public import FoundationEssentials

/// The result of a successful command.
public enum ControlResult: Sendable, Hashable, Codable {
    /// Done, with no further data.
    case done
    /// The daemon's status.
    case status(report: DaemonStatus)
    /// The daemon's rules for servers.
    case serverRules(rules: ServerRulesMessage)
    /// The active rules.
    case rules(rules: RulesMessage)
    /// How many exchanges a command changed or deleted.
    case affected(exchangeCount: Int)
    /// Whether TLS interception of the host is now on.
    case interception(isOpened: Bool)
    /// The held messages, oldest first.
    case holds(holds: [HoldMessage])
    /// A piece of a part of a held message, and the size of the whole part in bytes.
    case bytes(bytes: Data, byteCount: Int)
    /// The reserved numbers, ascending.
    case identifiers(exchanges: [Int64], connections: [Int64])

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case done, status, serverRules, rules, affected, interception, holds, identifiers
        case bytes = "octets"
    }

    /// The JSON keys of `bytes`.
    private enum BytesCodingKeys: String, CodingKey {
        case bytes = "octets"
        case byteCount
    }
}
