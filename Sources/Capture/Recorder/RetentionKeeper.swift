/// Decides what the retention policy lets go.
struct RetentionKeeper {
    let policy: RetentionPolicy
    /// Everything up to this number is pinned or gone.
    private(set) var cursor: Int64 = 0

    init(_ policy: RetentionPolicy) { self.policy = policy }

    /// Looks at everything again: something was unpinned.
    mutating func restart() { cursor = 0 }

    /// Notes that everything up to a number is pinned or gone.
    mutating func advance(to id: Int64) { cursor = max(cursor, id) }

    /// A job where something has to go.
    func nextJob(_ writer: StoreWriter) throws(StoreError) -> RemovalJob? {
        try victims(writer, countMax: 1).isEmpty ? nil : RemovalJob(.retention)
    }

    /// The oldest exchanges that have to go, oldest first.
    func victims(_ writer: StoreWriter, countMax: Int) throws(StoreError) -> [Int64] {
        let excess = policy.exchangeCountMax.map { max(0, writer.exchangeCount - $0) } ?? 0
        let isTooLarge = try isTooLarge(writer)
        guard excess > 0 || isTooLarge || policy.ageMaxSeconds != nil else { return [] }
        let cutoff = policy.ageMaxSeconds.map {
            RecorderClock.wall() &- $0.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        }
        var victims: [Int64] = []
        let statement = try SQLiteStatement(
            writer.connection.handle,
            """
            SELECT id, started_ns FROM exchange WHERE id > ?1 AND state <> 0
              AND NOT EXISTS (SELECT 1 FROM annotation WHERE exchange_id = id AND pinned)
            ORDER BY id LIMIT ?2
            """)
        statement.bind(1, cursor)
        statement.bind(2, Int64(countMax))
        try statement.forEachRow { row in
            let isOld = cutoff.map { row.columnInteger(1) < $0 } ?? false
            if isOld || isTooLarge || Int64(victims.count) < excess {
                victims.append(row.columnInteger(0))
            }
        }
        return victims
    }

    private func isTooLarge(_ writer: StoreWriter) throws(StoreError) -> Bool {
        guard let limit = policy.storeByteCountMax else { return false }
        let connection = writer.connection
        let used = try connection.integer("PRAGMA page_count")
            - connection.integer("PRAGMA freelist_count")
        return used * Int64(Schema.pageByteCount) > limit
    }
}
