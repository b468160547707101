internal import ProxydCaptureModel

/// Reads exchanges from the store and writes the values they are found by to the index file. All
/// calls must be made inside a transaction of the connection it was created for.
struct IndexWriter {
    private let selectRun: SQLiteStatement
    private let selectEnded: SQLiteStatement
    private let insertEra: SQLiteStatement
    private let insertHost: SQLiteStatement
    private let insertStatus: SQLiteStatement
    private let insertDurations: InsertStatements
    private let selectParameters: SQLiteStatement
    private let insertParameters: SQLiteStatement
    private let insertPending: SQLiteStatement
    private let deletePending: SQLiteStatement

    /// Prepares the statements; they must be released before the connection is closed.
    init(_ database: SQLiteConnection) throws(StoreError) {
        func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
            try SQLiteStatement(database, sql)
        }
        selectRun = try prepare(
            """
            SELECT id, host, status, duration_ns, state FROM store.exchange
            WHERE id > ?1 AND id <= ?2
            """)
        // Exchanges that were deleted have no columns, and count as ended.
        selectEnded = try prepare(
            """
            SELECT p.exchange_id, e.host, e.status, e.duration_ns, ifnull(e.state, -1)
            FROM main.pending p LEFT JOIN store.exchange e ON e.id = p.exchange_id
            WHERE e.state IS NULL OR e.state <> 0
            """)
        insertEra = try prepare("INSERT OR IGNORE INTO main.era VALUES (?1)")
        insertHost = try prepare(IndexSchema.blockInsertion("host"))
        insertStatus = try prepare(IndexSchema.blockInsertion("status"))
        insertDurations = try InsertStatements(
            database, "INSERT OR IGNORE INTO main.duration", columnCount: 3)
        selectParameters = try prepare(
            """
            SELECT exchange_id, name, value FROM store.parameter
            WHERE exchange_id > ?1 AND exchange_id <= ?2 ORDER BY exchange_id
            """)
        insertParameters = try prepare(IndexSchema.parameterInsertion)
        insertPending = try prepare("INSERT OR IGNORE INTO main.pending VALUES (?1)")
        deletePending = try prepare("DELETE FROM main.pending WHERE exchange_id = ?1")
    }

    /// The last exchange of a step that starts after `from` and should end with `through`; an
    /// earlier one if there are many parameters.
    func end(from: Int64, through: Int64) throws(StoreError) -> Int64 {
        var budget = IndexBudget()
        return try lastAffordable(from: from, through: through, &budget)
    }

    /// Adds the exchanges after `from` up to `through`, and pending ones that have ended since, as
    /// long as they do not have too many parameters; exchanges that have not ended become pending.
    /// Returns how many were added.
    func add(from: Int64, through: Int64) throws(StoreError) -> Int {
        var run = IndexRun()
        var budget = IndexBudget()
        try selectEnded.takeRows(while: { (row) throws(StoreError) in
            run.add(row)
            let id = row.integer(0) ?? 0
            _ = try lastAffordable(from: id &- 1, through: id, &budget)
            return !budget.isUsedUp
        })
        let late = run.endedIDs
        selectRun.bind(1, from)
        selectRun.bind(2, through)
        try selectRun.forEachRow { run.add($0) }
        try addEras(of: run.endedIDs)
        try addBlocks(run)
        try addDurations(run.durations)
        try addParameters(from: from, through: through)
        for id in late {
            try addParameters(from: id &- 1, through: id)
            deletePending.bind(1, id)
            try deletePending.run()
        }
        for id in run.openIDs {
            insertPending.bind(1, id)
            try insertPending.run()
        }
        return run.endedIDs.count
    }

    private func addEras(of ids: [Int64]) throws(StoreError) {
        for era in Set(ids.lazy.map { $0 >> IndexSchema.eraShift }) {
            insertEra.bind(1, era)
            try insertEra.run()
        }
    }

    /// The exchanges that were pending are added first; they are older than the others.
    private func addBlocks(_ run: IndexRun) throws(StoreError) {
        for (host, ids) in run.hosts {
            try IndexBlock.forEach(of: ids) { (block, places) throws(StoreError) in
                host.span.withUnsafeBytes { insertHost.bindCopy(1, $0, isText: true) }
                try IndexWriter.run(insertHost, block, places)
            }
        }
        for (status, ids) in run.statuses {
            try IndexBlock.forEach(of: ids) { (block, places) throws(StoreError) in
                insertStatus.bind(1, status)
                try IndexWriter.run(insertStatus, block, places)
            }
        }
    }

    private static func run(
        _ statement: SQLiteStatement, _ block: Int64, _ places: [UInt8]
    ) throws(StoreError) {
        statement.bind(2, block)
        try places.span.withUnsafeBytes { (places) throws(StoreError) in
            statement.bind(3, places, isText: true)
            try statement.run()
        }
    }

    /// Inserts in sorted order, so that neighbouring pages are touched one after another.
    private func addDurations(
        _ durations: [(durationNs: Int64, id: Int64)]
    ) throws(StoreError) {
        let rows = durations.map { ($0.id >> IndexSchema.eraShift, $0.durationNs, $0.id) }
        let sorted = rows.sorted(by: <)
        try InsertStatements.forEachGroup(of: sorted.count) { (places) throws(StoreError) in
            let statement = insertDurations[places.count]
            for (row, (era, durationNs, id)) in sorted[places].enumerated() {
                let before = insertDurations.offset(row: row)
                statement.bind(before + 1, era)
                statement.bind(before + 2, durationNs)
                statement.bind(before + 3, id)
            }
            try statement.run()
        }
    }

    /// The exchange whose parameters use up the budget, or `through` if none does.
    private func lastAffordable(
        from: Int64, through: Int64, _ budget: inout IndexBudget
    ) throws(StoreError) -> Int64 {
        selectParameters.bind(1, from)
        selectParameters.bind(2, through)
        var last = through
        try selectParameters.takeRows(while: { row in
            budget.take(byteCount: row.byteCount(1) &+ row.byteCount(2))
            guard budget.isUsedUp else { return true }
            last = row.integer(0) ?? through
            return false
        })
        return last
    }

    private func addParameters(from: Int64, through: Int64) throws(StoreError) {
        insertParameters.bind(1, from)
        insertParameters.bind(2, through)
        try insertParameters.run()
    }
}
