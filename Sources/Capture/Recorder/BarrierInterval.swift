/// How long commits that power failure can undo may add up, in nanoseconds: a commit that it cannot
/// undo begins so early that it is over when the promised second is.
struct BarrierInterval {
    /// At most so much is lost when the power fails.
    private static let promiseNs: Int64 = 1_000_000_000
    /// What is left for the commit on a disk that is quick.
    private static let slackNsMin: Int64 = 200_000_000
    /// The most that is left for it: on a disk that takes longer than this, recording would do
    /// nothing but wait for it.
    private static let slackNsMax: Int64 = 500_000_000

    private var slackNs = slackNsMin

    /// From the first such commit to the beginning of the one that makes all of them safe.
    var ns: Int64 { BarrierInterval.promiseNs - slackNs }

    /// Learns how long a commit took that waited for the disk: the next may take twice as long.
    mutating func note(commitNs: Int64) {
        slackNs = min(
            max(2 &* commitNs, BarrierInterval.slackNsMin), BarrierInterval.slackNsMax)
    }
}
