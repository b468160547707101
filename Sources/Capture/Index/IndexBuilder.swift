internal import ProxydCaptureModel

/// Fills the index file in the background of recording. Confined to the recorder's thread, which
/// calls `step` when it is idle.
///
/// Nothing here throws: without an index, filters scan every row.
final class IndexBuilder {
    /// After this many failures the builder gives up until a new one is created.
    private static let failureCountMax = 3

    private let storePath: String
    private let directory: String
    private let lagCount: Int64
    private let path: String
    private var database: SQLiteConnection?
    private var writer: IndexWriter?
    private var failureCount = 0

    /// Exchanges up to this number are in the index or in its list of pending ones.
    private(set) var indexedThrough: Int64 = 0
    private(set) var lastError: String?

    /// Does not open any file yet.
    init(storePath: String, directory: String, lagCount: Int64 = IndexSchema.lagCount) {
        self.storePath = storePath
        self.directory = directory
        self.lagCount = lagCount
        path = IndexFile.indexPath(besideStore: storePath)
    }

    /// Indexes the next `runRowCount` exchanges in one transaction, or fewer if they have many
    /// parameters. Does nothing until that many exchanges are old enough: large runs keep the
    /// index's pages together. Returns whether it indexed anything, and so whether to call it again
    /// immediately.
    func step(runRowCount: Int, lastExchangeID: Int64) -> Bool {
        guard failureCount < IndexBuilder.failureCountMax,
            lastExchangeID &- indexedThrough >= lagCount &+ Int64(clamping: runRowCount)
        else { return false }
        do throws(StoreError) {
            let database = try open()
            let isIndexed = try database.transaction(.immediate) { () throws(StoreError) in
                try index(runRowCount, through: lastExchangeID &- lagCount, database)
            }
            failureCount = 0
            return isIndexed
        } catch {
            startOver(error)
            return false
        }
    }

    /// Notes exchanges that were stored with numbers the index has already passed.
    func noteInserted(_ ids: some Sequence<Int64>) {
        let late = ids.filter { $0 <= indexedThrough }
        guard !late.isEmpty, let database else { return }
        do throws(StoreError) {
            try database.transaction(.immediate) { () throws(StoreError) in
                for id in late {
                    try database.run(
                        "INSERT OR IGNORE INTO main.pending VALUES (?)", [.integer(id)])
                }
            }
        } catch { startOver(error) }
    }

    /// Closes the file; the next step opens it again.
    func close() {
        writer = nil
        database = nil
    }

    func discard() { IndexFile.remove([path]) { close() } }

    // MARK: Opening

    private func open() throws(StoreError) -> SQLiteConnection {
        if let database { return database }
        IndexFile.removeOrphans(of: path)
        if let opened = try openUsable() {
            database = opened
            return opened
        }
        IndexFile.remove([path])
        let fresh = try connect()
        database = fresh
        return fresh
    }

    private func openUsable() throws(StoreError) -> SQLiteConnection? {
        let opened = try connect()
        return try IndexBuilder.isUsable(opened) ? opened : nil
    }

    private func connect() throws(StoreError) -> SQLiteConnection {
        try PrivateFile.ensure(path, in: directory)
        let database = try SQLiteConnection(
            path: path, .writing, busyTimeoutMs: 100,
            setUp: IndexFile.setUp(logPageCount: 2_048, logByteCountMax: 8 << 20))
        try database.run("ATTACH DATABASE ? AS store", [.text(IndexFile.readOnlyURI(storePath))])
        try database.transaction(.immediate) { () throws(StoreError) in
            if try database.isTrue("SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_schema)") {
                try database.execute(IndexSchema.tables)
            }
        }
        return database
    }

    /// Whether the file has the current layout, belongs to this store, and does not consist mostly
    /// of exchanges that have since been deleted.
    private static func isUsable(_ database: SQLiteConnection) throws(StoreError) -> Bool {
        guard try database.integer("PRAGMA main.user_version") == IndexSchema.version else {
            return false
        }
        let belongs = IndexSchema.belongsCondition(schema: "main", store: "store")
        guard try database.isTrue(belongs) else { return false }
        return try database.isTrue(
            """
            SELECT s.indexed_count <= 2 * t.exchange_count + 100000
            FROM main.state s, store.store_state t
            """)
    }

    /// After an error the file may be damaged. Rebuilding it fixes everything except a full disk,
    /// on which the next attempts fail too, until the builder gives up.
    private func startOver(_ error: StoreError) {
        failureCount += 1
        lastError = "\(error)"
        discard()
        indexedThrough = 0
    }

    // MARK: Indexing

    /// Indexes a run and records how far it reaches.
    private func index(
        _ count: Int, through last: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Bool {
        let from = try database.integer("SELECT indexed_through FROM main.state") ?? 0
        indexedThrough = from
        let wanted = try database.integer(
            """
            SELECT id FROM store.exchange WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?
            """, [.integer(from), .integer(last), .integer(Int64(max(0, count - 1)))])
        guard let wanted else { return false }
        let writer = try openWriter(database)
        let through = try writer.end(from: from, through: wanted)
        let added = try writer.add(from: from, through: through)
        try database.run(
            """
            UPDATE main.state SET indexed_through = ?1, sample_id = ?1,
              indexed_count = indexed_count + ?2,
              sample_started_ns = (SELECT started_ns FROM store.exchange WHERE id = ?1)
            """, [.integer(through), .integer(Int64(added))])
        indexedThrough = through
        return true
    }

    private func openWriter(_ database: SQLiteConnection) throws(StoreError) -> IndexWriter {
        if let writer { return writer }
        let opened = try IndexWriter(database)
        writer = opened
        return opened
    }
}

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
    private func addDurations(_ durations: [(durationNs: Int64, id: Int64)]) throws(StoreError) {
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

/// Exchanges that are indexed together, grouped by the values they are found by.
struct IndexRun {
    /// The exchange numbers of each host; the keys are the bytes of the host name.
    private(set) var hosts: [[UInt8]: [Int64]] = [:]
    private(set) var statuses: [Int64: [Int64]] = [:]
    private(set) var durations: [(durationNs: Int64, id: Int64)] = []
    /// Exchanges that have not ended; the run has nothing else about them.
    private(set) var openIDs: [Int64] = []
    private(set) var endedIDs: [Int64] = []

    /// Adds a row of number, host, status, duration and state; the state of an open exchange is 0.
    mutating func add(_ row: SQLiteRow) {
        let id = row.integer(0) ?? 0
        guard row.integer(4) != 0 else { return openIDs.append(id) }
        endedIDs.append(id)
        if let host = row.bytes(1) { hosts[host, default: []].append(id) }
        if let status = row.integer(2) { statuses[status, default: []].append(id) }
        if let duration = row.integer(3) { durations.append((duration, id)) }
    }
}

/// How many parameters one indexing step may still take. An exchange has anything from a few to a
/// thousand parameters, of a few bytes or a megabyte each. The database sorts the parameters of a
/// step in memory, and recording waits meanwhile.
struct IndexBudget {
    /// The maximum number of parameters in one step; they take about ten milliseconds.
    static let rowCountMax = 8_192
    /// The maximum size of names and values in bytes; they are read in full, then truncated.
    static let byteCountMax = 4 << 20

    private var rowCount = rowCountMax
    private var byteCount = byteCountMax

    /// Whether the current exchange must be the last one of the step.
    var isUsedUp: Bool { rowCount <= 0 || byteCount <= 0 }

    mutating func take(byteCount: Int) {
        rowCount -= 1
        self.byteCount -= byteCount
    }
}
