internal import ProxydCaptureModel
internal import ProxydSystem

/// Decides what the retention policy lets go.
struct RetentionKeeper {
    /// What an exchange takes besides its bodies, roughly, in octets.
    private static let typicalByteCount: Int64 = 1_000
    /// What its bodies take at most, in octets: more is damage, which must not count for others.
    private static let keptByteCountMax: Int64 = 1 << 40
    /// How long the cursor is believed, in nanoseconds: active exchanges are skipped, and end.
    private static let memoryNs: Int64 = 60_000_000_000

    let policy: RetentionPolicy
    /// Everything up to this number is pinned, active or gone.
    private(set) var cursor = Int64.min
    private var restartedAt = SystemClock.monotonicNow()

    init(_ policy: RetentionPolicy) { self.policy = policy }

    /// Looks at everything again: something was unpinned.
    mutating func restart() {
        cursor = .min
        restartedAt = SystemClock.monotonicNow()
    }

    /// Notes that everything up to a number is pinned or gone.
    mutating func advance(to id: Int64) { cursor = max(cursor, id) }

    /// A job where something has to go.
    mutating func nextJob(_ writer: StoreWriter) throws(StoreError) -> RemovalJob? {
        if SystemClock.monotonicNow() - restartedAt > RetentionKeeper.memoryNs { restart() }
        return try victims(writer, countMax: 1).isEmpty ? nil : RemovalJob(.retention)
    }

    /// The oldest exchanges that have to go, oldest first.
    func victims(_ writer: StoreWriter, countMax: Int) throws(StoreError) -> [Int64] {
        let excess = policy.exchangeCountMax.map { max(0, writer.exchangeCount &- $0) } ?? 0
        var excessByteCount = try excessByteCount(writer)
        guard excess > 0 || excessByteCount > 0 || policy.ageMaxSeconds != nil else { return [] }
        let cutoff = policy.ageMaxSeconds.map {
            SystemClock.wallNow() &- $0.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        }
        var victims: [Int64] = []
        let statement = try SQLiteStatement(
            writer.connection.database,
            """
            SELECT id, started_ns, \(StoredByteCount.sql)
            FROM exchange WHERE id > ?1 AND state <> 0
              AND NOT EXISTS (SELECT 1 FROM annotation WHERE exchange_id = id AND pinned)
            ORDER BY id LIMIT ?2
            """)
        statement.bind(1, cursor)
        statement.bind(2, Int64(countMax))
        try statement.forEachRow { row in
            let isOld = cutoff.map { (row.integer(1) ?? 0) < $0 } ?? false
            if isOld || excessByteCount > 0 || Int64(victims.count) < excess {
                victims.append(row.integer(0) ?? 0)
                let kept = min(max(0, row.integer(2) ?? 0), RetentionKeeper.keptByteCountMax)
                excessByteCount -= kept + RetentionKeeper.typicalByteCount
            }
        }
        return victims
    }

    private func excessByteCount(_ writer: StoreWriter) throws(StoreError) -> Int64 {
        guard let limit = policy.storeByteCountMax else { return 0 }
        let connection = writer.connection
        let used =
            try connection.integer("PRAGMA page_count")
            - connection.integer("PRAGMA freelist_count")
        return max(0, used * connection.pageByteCount - limit)
    }
}
