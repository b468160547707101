/// How many parameters one indexing step may still take. An exchange has anything from a few to a
/// thousand parameters, of a few bytes or a megabyte each. The database sorts the parameters of a
/// step in memory, and recording waits meanwhile.
struct IndexBudget {
    /// The maximum number of parameters in one step; they take about ten milliseconds.
    static let rowCountMax = 8_192
    /// The maximum size of their names and values in bytes; they are read in full before being
    /// truncated.
    static let byteCountMax = 4 << 20

    private var rowCount = rowCountMax
    private var byteCount = byteCountMax

    /// Whether the current exchange must be the last one of the step.
    var isUsedUp: Bool { rowCount <= 0 || byteCount <= 0 }

    /// Takes one parameter of the given size from the budget.
    mutating func take(byteCount: Int) {
        rowCount -= 1
        self.byteCount -= byteCount
    }
}
