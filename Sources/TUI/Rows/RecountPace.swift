/// Decides when a slow count is repeated because the store changed: soon after, but not so often
/// that it keeps a processor busy.
struct RecountPace: Sendable {
    /// The minimum time between two counts in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000
    /// The minimum pause after a count, as a multiple of its duration.
    private static let share: Int64 = 10

    private var since: Int64 = 0
    private var nextAt: Int64 = 0

    /// Counting starts.
    mutating func begin(_ now: Int64) { since = now }

    /// Counting ended.
    mutating func end(_ now: Int64) {
        let took = max(0, now &- since)
        nextAt = now &+ max(RecountPace.pauseNs, RecountPace.share &* took)
    }

    /// Whether a check for changes is due; the next one is due some time later.
    mutating func isDue(_ now: Int64) -> Bool {
        guard now >= nextAt else { return false }
        nextAt = now &+ RecountPace.pauseNs
        return true
    }
}
