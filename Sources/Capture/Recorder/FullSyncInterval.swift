/// How long to collect commits that a power failure can undo, in nanoseconds, before a durable
/// commit. The durable commit starts early enough to finish within the promised second.
struct FullSyncInterval {
    /// A power failure loses at most what was recorded in this time.
    private static let promiseNs: Int64 = 1_000_000_000
    /// The time reserved for the durable commit on a fast disk.
    private static let slackNsMin: Int64 = 200_000_000
    /// The maximum time reserved for it: on a slower disk, recording would do nothing but wait for
    /// the disk.
    private static let slackNsMax: Int64 = 500_000_000

    private var slackNs = slackNsMin

    /// The time from the first commit that can be lost to the start of the durable commit.
    var ns: Int64 { FullSyncInterval.promiseNs - slackNs }

    /// Takes the duration of a durable commit; the next one is expected to take up to twice as
    /// long.
    mutating func note(commitNs: Int64) {
        slackNs = min(
            max(2 &* commitNs, FullSyncInterval.slackNsMin), FullSyncInterval.slackNsMax)
    }
}
