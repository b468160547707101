/// When something that takes long on a large store is counted again because the store changed:
/// soon after, and never so often that it keeps a processor busy.
struct RecountPace: Sendable {
    /// At least this long passes between two counts, in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000
    /// Counting takes this part of the time at most.
    private static let share: Int64 = 10

    private var since: Int64 = 0
    private var nextAt: Int64 = 0

    /// Counting begins.
    mutating func begin(_ now: Int64) { since = now }

    /// Counting is over.
    mutating func end(_ now: Int64) {
        let took = max(0, now &- since)
        nextAt = now &+ max(RecountPace.pauseNs, RecountPace.share &* took)
    }

    /// Whether it is time to look whether anything changed; the next time is a while later.
    mutating func isDue(_ now: Int64) -> Bool {
        guard now >= nextAt else { return false }
        nextAt = now &+ RecountPace.pauseNs
        return true
    }
}
