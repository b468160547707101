internal import ProxydCaptureModel

/// The exchanges that one step of a deletion removes. Neighbours are deleted together: one
/// statement that deletes many rows costs a fraction of many that delete one each.
struct RemovalStep {
    /// The maximum number of exchanges in a step; it takes a few milliseconds.
    static let countMax = 500
    /// The maximum total size of their bodies in bytes, unless a single exchange is larger: deleted
    /// data is overwritten and goes through the log.
    static let keptByteCountMax: Int64 = 4 << 20

    /// Their numbers, ascending.
    let ids: [Int64]

    /// Takes as many of the first numbers as one step removes.
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

    /// The numbers as contiguous ranges.
    var runs: [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for id in ids {
            // A number may occur twice. Nothing is below the lowest number, so wrapping around
            // finds nothing.
            if let last = runs.last, last.upperBound == id || last.upperBound == id &- 1 {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }
}
