/// The exchanges that have not ended, with changes that can be undone: a transaction that fails
/// must leave no trace in memory either.
struct ActiveExchangeTable {
    private var rows: [Int64: ActiveExchange] = [:]
    private var before: [(id: Int64, row: ActiveExchange?)] = []

    /// How many there are.
    var count: Int { rows.count }

    /// The exchange of a number; nil where it has ended, was cleared or never began.
    subscript(id: Int64) -> ActiveExchange? {
        get { rows.isEmpty ? nil : rows[id] }
        set {
            before.append((id, rows[id]))
            rows[id] = newValue
        }
    }

    /// Makes the changes since the last commit final.
    mutating func commit() { before.removeAll(keepingCapacity: true) }

    /// Undoes them.
    mutating func rollBack() {
        for change in before.reversed() { rows[change.id] = change.row }
        before.removeAll(keepingCapacity: true)
    }
}
