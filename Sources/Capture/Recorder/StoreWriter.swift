internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydSystem

/// Writes batches to an open store, one transaction each. Confined to the recorder's thread.
final class StoreWriter {
    let connection: StoreConnection
    let exchanges: ExchangeWriter
    private let connections: ConnectionWriter
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let saveState: SQLiteStatement
    private let durability: RecorderConfiguration.Durability
    private let faults: RecorderFaults?

    /// How far the store was delivered to a central store; changed inside a transaction only.
    var delivery: DeliveryLog
    /// The number of exchanges in the store.
    private(set) var exchangeCount: Int64
    /// The highest numbers ever stored.
    private(set) var lastExchangeID: Int64
    private(set) var lastConnectionID: Int64
    /// When the first commit that a power failure can undo was made, or nil if there is none.
    private(set) var unsafeSince: Int64?
    /// Whether commits do not wait for the disk now, although one is due: the next sync is only
    /// later within the promised second.
    var defersFullSync = false
    /// The maximum time between two durable commits.
    private(set) var fullSyncInterval = FullSyncInterval()
    private var lastFullSync = SystemClock.monotonicNow()
    private var fullSyncCount: Int64

    init(
        _ connection: StoreConnection, _ configuration: RecorderConfiguration
    ) throws(StoreError) {
        self.connection = connection
        durability = configuration.durability
        faults = configuration.faults
        exchanges = try ExchangeWriter(
            connection, parameterBodyByteCountMax: configuration.parameterBodyByteCountMax)
        connections = try ConnectionWriter(connection)
        begin = try SQLiteStatement(connection.database, "BEGIN IMMEDIATE")
        commit = try SQLiteStatement(connection.database, "COMMIT")
        saveState = try SQLiteStatement(
            connection.database,
            """
            UPDATE store_state SET exchange_count = ?1, last_exchange_id = ?2,
              last_connection_id = ?3, barrier_count = ?4
            """)
        delivery = try DeliveryLog(connection)
        // With a damaged count, retention would delete exchanges it should keep.
        exchangeCount = try connection.integer(
            """
            SELECT iif(exchange_count BETWEEN 0 AND \(Schema.lastIDMax), exchange_count,
              (SELECT count(*) FROM exchange))
            FROM store_state
            """)
        fullSyncCount = try connection.integer("SELECT barrier_count FROM store_state")
        lastExchangeID = try StoreWriter.lastID("last_exchange_id", of: "exchange", connection)
        lastConnectionID = try StoreWriter.lastID(
            "last_connection_id", of: "connection", connection)
    }

    /// The highest number ever stored, ignoring numbers that only a damaged store contains.
    private static func lastID(
        _ column: String, of table: String, _ connection: StoreConnection
    ) throws(StoreError) -> Int64 {
        let told = try connection.integer(
            """
            SELECT iif(\(column) BETWEEN 0 AND \(Schema.lastIDMax), \(column), 0)
            FROM store_state
            """)
        return max(told, try connection.lastID(of: table))
    }

    /// Writes a batch without changing it; either all of it is stored or nothing.
    func write(_ batch: inout RecorderBatch) throws(StoreError) -> StoreChange {
        var change = StoreChange()
        try transaction { () throws(StoreError) in
            for record in batch.connections {
                try connections.write(record)
                lastConnectionID = max(lastConnectionID, record.id.rawValue)
            }
            try InsertStatements.forEachGroup(of: batch.rows.count) { (places) throws(StoreError) in
                try exchanges.insert(&batch.rows, places)
                for place in places { noteInserted(batch.rows[place].id, &change) }
            }
            for place in batch.updates.indices { try write(&batch.updates[place], &change) }
        }
        return change
    }

    private func noteInserted(_ id: Int64, _ change: inout StoreChange) {
        change.inserted.append(ExchangeID(rawValue: id))
        exchangeCount += 1
        lastExchangeID = max(lastExchangeID, id)
    }

    private func write(
        _ update: inout ExchangeUpdate, _ change: inout StoreChange
    ) throws(StoreError) {
        // Updates merged in the batch may have completed a short exchange.
        if let row = RecordedRow(short: update) {
            var rows = [row]
            try exchanges.insert(&rows, 0..<1)
            return noteInserted(row.id, &change)
        }
        switch try exchanges.write(update) {
        case .inserted: noteInserted(update.id.rawValue, &change)
        case .updated: change.updated.append(update.id)
        case .ignored: break
        }
    }

    /// Runs a closure in a transaction; if it throws, store and memory are as before.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let before = (exchangeCount, lastExchangeID, lastConnectionID, fullSyncCount, delivery)
        let now = SystemClock.monotonicNow()
        let isDue = now - lastFullSync >= fullSyncInterval.ns
        let isFullSync = durability == .always || (isDue && !defersFullSync)
        do throws(StoreError) {
            try connection.setFullySynchronous(isFullSync)
            try begin.run()
            try body()
            if isFullSync { fullSyncCount &+= 1 }
            try writeState()
            try failIfAsked()
            let commitBegan = SystemClock.monotonicNow()
            try commit.run()
            if isFullSync {
                fullSyncInterval.note(commitNs: SystemClock.monotonicNow() &- commitBegan)
            }
        } catch {
            connection.rollBack()
            exchanges.rollBack()
            connections.rollBack()
            (exchangeCount, lastExchangeID, lastConnectionID, fullSyncCount, delivery) = before
            throw error
        }
        exchanges.active.commit()
        if isFullSync {
            lastFullSync = now
            unsafeSince = nil
        } else {
            unsafeSince = unsafeSince ?? now
        }
    }

    /// Makes every commit so far durable against power failure.
    func syncFully() throws(StoreError) {
        guard unsafeSince != nil else { return }
        lastFullSync = SystemClock.monotonicNow() &- fullSyncInterval.ns
        try transaction { () throws(StoreError) in }
    }

    /// Deletes exchanges, inside a transaction; later updates of them are ignored. Returns whether
    /// any of them existed.
    func remove(_ ids: ClosedRange<Int64>, _ remover: ExchangeRemover) throws(StoreError) -> Bool {
        try remover.remove(ids)
        // The rows of `exchange` itself are deleted last.
        let count = connection.lastChangeCount
        exchangeCount -= count
        for id in ids { exchanges.active[id] = nil }
        return count > 0
    }

    private func writeState() throws(StoreError) {
        saveState.bind(1, exchangeCount)
        saveState.bind(2, lastExchangeID)
        saveState.bind(3, lastConnectionID)
        saveState.bind(4, fullSyncCount)
        try saveState.run()
    }

    private func failIfAsked() throws(StoreError) {
        guard let code = faults?.commitResult?(), code != 0 else { return }
        throw StoreError(code: code, message: "injected fault")
    }
}
