/// Limits of checks of passwords.
public struct CheckLimits: Sendable {
    /// How many different passwords of one user may wait for a client.
    public var perUserMax = 4
    /// How many checks may wait for a client.
    public var perClientMax = 128
    /// How many checks may wait for all clients.
    public var totalMax = 2_048
    /// How long the answer to a wrong password is delayed, in nanoseconds. The next check of the
    /// same user for the same client begins after it.
    public var wrongDelayNs: Int64 = 100_000_000
    /// How long a right answer is remembered, in nanoseconds.
    public var rememberedNs: Int64 = 600_000_000_000
    /// How many right answers are remembered.
    public var rememberedMax = 8_192
    /// How often wrong passwords of a client are reported, in nanoseconds.
    public var reportNs: Int64 = 60_000_000_000
    /// How many clients are known to have been reported.
    public var reportedMax = 4_096

    /// Creates the usual limits.
    public init() {}
}
