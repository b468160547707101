/// Says when giving memory back is worth walking the heap: where the process has grown, and then
/// again whenever it is at rest, until there is nothing left, because what is given back in the
/// middle of a burst comes again.
struct MemoryWatch {
    /// Growth that is worth giving back, in octets.
    static let growthByteCount: Int64 = 8 << 20
    /// Less change than this is none, in octets.
    static let changeByteCount: Int64 = 1 << 20

    /// The fewest resident octets since the last time something was given back.
    private var least: Int64
    /// Resident octets when last looked at.
    private var latest: Int64
    /// Whether it has grown, and there may be something left to give back.
    private var isUnsettled = false
    /// Whether nothing had changed when last looked at.
    private var isAtRest = true

    init(residentByteCount: Int64) {
        least = residentByteCount
        latest = residentByteCount
    }

    /// Whether to give back now, with so many resident octets.
    mutating func isDue(residentByteCount now: Int64) -> Bool {
        isAtRest = abs(now &- latest) < MemoryWatch.changeByteCount
        latest = now
        least = min(least, now)
        if now &- least > MemoryWatch.growthByteCount {
            isUnsettled = true
            return true
        }
        return isUnsettled && isAtRest
    }

    /// Takes note of how many resident octets are left after giving back.
    mutating func noteGivenBack(residentByteCount left: Int64) {
        if isAtRest, latest &- left < MemoryWatch.changeByteCount { isUnsettled = false }
        least = left
        latest = left
    }
}
