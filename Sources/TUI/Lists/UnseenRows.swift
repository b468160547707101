/// How many rows came since the newest one was last in sight.
struct UnseenRows: Sendable {
    /// The highest number and the count of rows then; nil where they were not known.
    private var lastID: Int64?
    private var count: Int64?

    /// The newest is seen.
    mutating func see(lastID: Int64?, count: Int64?) {
        self.lastID = lastID
        self.count = count
    }

    /// The rows of another filter are counted from now on.
    mutating func forgetCount() { count = nil }

    /// What was not known then is taken as seen now.
    mutating func learn(lastID: Int64?, count: Int64?) {
        if self.lastID == nil { self.lastID = lastID }
        if self.count == nil { self.count = count }
    }

    /// Numbers are given out in turn; what passes a filter has to be counted.
    func newCount(lastID: Int64?, count: Int64?, isFiltered: Bool) -> Int64 {
        let (now, then) = isFiltered ? (count, self.count) : (lastID, self.lastID)
        guard let now, let then else { return 0 }
        return max(0, now.subtractingReportingOverflow(then).partialValue)
    }
}
