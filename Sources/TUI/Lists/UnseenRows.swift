/// Counts the rows that arrived since the newest one was last visible.
struct UnseenRows: Sendable {
    /// The highest number and the count of rows then, or nil if they were unknown.
    private var lastID: Int64?
    private var count: Int64?

    /// The newest row is visible.
    mutating func see(lastID: Int64?, count: Int64?) {
        self.lastID = lastID
        self.count = count
    }

    /// Another filter's rows are counted from now on.
    mutating func forgetCount() { count = nil }

    /// Marks values that were unknown then as seen now.
    mutating func learn(lastID: Int64?, count: Int64?) {
        if self.lastID == nil { self.lastID = lastID }
        if self.count == nil { self.count = count }
    }

    /// Exchange numbers are consecutive, in a local store; otherwise, and with a filter, rows have
    /// to be counted.
    func newCount(lastID: Int64?, count: Int64?, isCounted: Bool) -> Int64 {
        let (now, then) = isCounted ? (count, self.count) : (lastID, self.lastID)
        guard let now, let then else { return 0 }
        return max(0, now.subtractingReportingOverflow(then).partialValue)
    }
}
