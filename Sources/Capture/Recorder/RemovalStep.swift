internal import ProxydCaptureModel

/// The exchanges that one step of a deletion removes. Neighbours go together: a statement that
/// deletes many rows costs a fraction of as many that delete one.
struct RemovalStep {
    /// How many there are at most: a few milliseconds.
    static let countMax = 500
    /// What their bodies may take, in octets, unless a single one takes more: what is deleted is
    /// overwritten, and goes through the log.
    static let keptByteCountMax: Int64 = 4 << 20

    /// Their numbers, ascending.
    let ids: [Int64]

    /// Takes as many of the numbers, from the first on, as one step removes.
    init(
        _ candidates: some Collection<Int64>, in connection: StoreConnection
    ) throws(StoreError) {
        let statement = try SQLiteStatement(
            connection.database,
            "SELECT \(StoredByteCount.sql) FROM exchange WHERE id = ?1")
        var ids: [Int64] = []
        var byteCount: Int64 = 0
        for id in candidates.prefix(RemovalStep.countMax) {
            statement.bind(1, id)
            try statement.forEachRow { byteCount &+= $0.integer(0) ?? 0 }
            if byteCount > RemovalStep.keptByteCountMax, !ids.isEmpty { break }
            ids.append(id)
        }
        self.ids = ids.sorted()
    }

    /// The numbers as ranges without a gap.
    var runs: [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for id in ids {
            // A number may come twice. Nothing lies below the lowest, so wrapping finds nothing.
            if let last = runs.last, last.upperBound == id || last.upperBound == id &- 1 {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }
}
