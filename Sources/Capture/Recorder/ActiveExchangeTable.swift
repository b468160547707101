/// The exchanges that have not ended. Changes can be undone, because a failed transaction must
/// leave no trace in memory either.
struct ActiveExchangeTable {
    private var rows: [Int64: ActiveExchange] = [:]
    private var before: [(id: Int64, row: ActiveExchange?)] = []

    /// The number of exchanges that have not ended.
    var count: Int { rows.count }

    /// The exchange with a number, or nil if it has ended, was cleared or never started.
    subscript(id: Int64) -> ActiveExchange? {
        get { rows.isEmpty ? nil : rows[id] }
        set {
            before.append((id, rows[id]))
            rows[id] = newValue
        }
    }

    /// Makes the changes since the last commit final.
    mutating func commit() { before.removeAll(keepingCapacity: true) }

    /// Undoes the changes since the last commit.
    mutating func rollBack() {
        for change in before.reversed() { rows[change.id] = change.row }
        before.removeAll(keepingCapacity: true)
    }
}
