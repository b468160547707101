/// What came of a command that succeeded.
public enum ControlResult: Sendable, Hashable, Codable {
    /// Done, with nothing more to say.
    case done
    /// How the daemon is.
    case status(report: DaemonStatus)
    /// How many exchanges a command changed or deleted.
    case affected(exchangeCount: Int)
    /// The first number of each block that was taken.
    case identifiers(firstExchange: Int64, firstConnection: Int64)
}
