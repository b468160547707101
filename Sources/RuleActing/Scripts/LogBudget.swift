/// Limits the number of lines that a script may write to the log.
struct LogBudget {
    private static let lineCountMax = 100
    private static let windowNs: Int64 = 60_000_000_000

    private var windowStart: Int64?
    private var lineCount = 0

    /// What to do with a line.
    enum Verdict { case write, writeLast, leaveOut }

    /// Counts a line, and returns what to do with it.
    /// - Parameter now: The time in nanoseconds of a monotonic clock.
    mutating func spend(now: Int64) -> Verdict {
        if windowStart.map({ now &- $0 >= LogBudget.windowNs }) ?? true {
            windowStart = now
            lineCount = 0
        }
        guard lineCount < LogBudget.lineCountMax else { return .leaveOut }
        lineCount += 1
        return lineCount == LogBudget.lineCountMax ? .writeLast : .write
    }
}
