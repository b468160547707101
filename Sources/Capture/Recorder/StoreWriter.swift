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

    init(_ connection: StoreConnection, _ configuration: RecorderConfiguration) throws(StoreError) {
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
            for index in batch.updates.indices { try write(&batch.updates[index], &change) }
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

/// How long to collect commits that a power failure can undo, in nanoseconds, before a durable
/// commit. The durable commit starts early enough to finish within the promised second.
struct FullSyncInterval {
    /// A power failure loses at most what was recorded in this time.
    private static let promiseNs: Int64 = 1_000_000_000
    /// The time reserved for the durable commit on a fast disk.
    private static let slackNsMin: Int64 = 200_000_000
    /// The maximum time reserved for it: on a slower disk, recording would only wait.
    private static let slackNsMax: Int64 = 500_000_000

    private var slackNs = slackNsMin

    /// The time from the first commit that can be lost to the start of the durable commit.
    var ns: Int64 { FullSyncInterval.promiseNs - slackNs }

    /// Takes the duration of a durable commit; the next one may take up to twice as long.
    mutating func note(commitNs: Int64) {
        slackNs = min(max(2 &* commitNs, FullSyncInterval.slackNsMin), FullSyncInterval.slackNsMax)
    }
}

/// Writes connections. Certificate chains are stored once and shared, because a server sends the
/// same chain repeatedly.
final class ConnectionWriter {
    private static let chainCountMax = 1000

    private let insertConnection: SQLiteStatement
    private let insertChain: SQLiteStatement
    private var nextChainID: Int64
    private var chains: [[[UInt8]]: Int64] = [:]

    init(_ connection: StoreConnection) throws(StoreError) {
        insertConnection = try SQLiteStatement(
            connection.database,
            """
            INSERT OR REPLACE INTO connection
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
              ?18, ?19, ?20, ?21, ?22, ?23)
            """)
        insertChain = try SQLiteStatement(
            connection.database, "INSERT INTO certificate_chain VALUES (?1, ?2)")
        nextChainID = try connection.lastID(of: "certificate_chain") + 1
    }

    /// Writes the facts about a connection, replacing earlier ones.
    func write(_ record: ConnectionRecord) throws(StoreError) {
        let statement = insertConnection
        let security = record.security
        statement.bind(1, record.id.rawValue)
        statement.bindCopy(2, record.side.rawValue)
        statement.bind(3, record.openedAt)
        statement.bindCopy(4, record.peerAddress)
        statement.bindCopy(5, record.localAddress)
        statement.bindCopy(6, security?.version)
        statement.bindCopy(7, security?.cipher)
        statement.bindCopy(8, security?.alpn)
        statement.bindCopy(9, security?.serverName)
        statement.bind(10, try chainID(security?.peerCertificates ?? []))
        statement.bind(11, security.map { $0.isResumed ? 1 : 0 })
        statement.bind(12, record.process.map { Int64($0.pid) })
        statement.bindCopy(13, record.process?.name)
        bind(14, record.http2.map { SettingsCoding.encode($0.ourSettings) })
        bind(15, record.http2.map { SettingsCoding.encode($0.peerSettings) })
        bind(16, record.http2?.frames)
        statement.bindCopy(17, record.arrival?.listener)
        statement.bindCopy(18, record.arrival?.mode.rawValue)
        statement.bindCopy(19, record.arrival?.originalAddress)
        statement.bindCopy(20, record.arrival?.proxyProtocolPeer)
        statement.bindCopy(21, record.upstream)
        let authorities = security?.requestedAuthorities
        statement.bindCopy(22, authorities?.joined(separator: "\n"))
        statement.bind(
            23, authorities.flatMap { _ in security?.showsClientCertificate == true ? 1 : 0 })
        try statement.run()
    }

    private func bind(_ index: Int32, _ bytes: [UInt8]?) {
        guard let bytes else { return insertConnection.bindNull(index) }
        bytes.span.withUnsafeBytes { insertConnection.bindCopy(index, $0, isText: false) }
    }

    /// Forgets the remembered chains after a failed transaction: all of them, as they are few.
    func rollBack() { chains.removeAll() }

    private func chainID(_ certificates: [[UInt8]]) throws(StoreError) -> Int64? {
        guard !certificates.isEmpty else { return nil }
        if let known = chains[certificates] { return known }
        let id = nextChainID
        nextChainID += 1
        insertChain.bind(1, id)
        let bytes = CertificateChainCoding.encode(certificates)
        bytes.span.withUnsafeBytes { insertChain.bindCopy(2, $0, isText: false) }
        try insertChain.run()
        if chains.count >= ConnectionWriter.chainCountMax { chains.removeAll() }
        chains[certificates] = id
        return id
    }
}

/// The recorder's view of the delivery to a central store: how far it has got, and the changes by
/// users that have to follow. Its methods write; call them inside a transaction only.
struct DeliveryLog {
    /// Higher sequence numbers are damage; there is room for as many again.
    private static let sequenceMax: Int64 = 1 << 61

    /// All exchanges up to this number were delivered; nil if the store was never delivered.
    private(set) var through: Int64?
    /// The number of exchanges that retention removed before they were delivered.
    private var lostCount: Int64
    private var lastSequence: Int64

    init(_ connection: StoreConnection) throws(StoreError) {
        through = try connection.database.integer("SELECT delivered_through FROM store_state")
        lostCount = try connection.integer(
            "SELECT iif(undelivered_lost > 0, undelivered_lost, 0) FROM store_state")
        let known = "BETWEEN 0 AND \(DeliveryLog.sequenceMax)"
        lastSequence = try connection.integer(
            """
            SELECT max(
              iif(last_change_sequence \(known), last_change_sequence, 0),
              coalesce((SELECT max(sequence) FROM change WHERE sequence \(known)), 0))
            FROM store_state
            """)
    }

    /// Notes a change by a user, unless the store was never delivered.
    mutating func note(
        _ kind: ExchangeChange.Kind, _ runs: [ClosedRange<Int64>], _ connection: StoreConnection
    ) throws(StoreError) {
        guard through != nil, !runs.isEmpty else { return }
        let statement = try SQLiteStatement(
            connection.database, "INSERT OR REPLACE INTO change VALUES (?1, ?2, ?3, ?4)")
        for run in runs {
            lastSequence += 1
            statement.bind(1, lastSequence)
            statement.bind(2, run.lowerBound)
            statement.bind(3, run.upperBound)
            statement.bind(4, kind.rawValue)
            try statement.run()
        }
        try connection.database.run(
            "UPDATE store_state SET last_change_sequence = ?1", [.integer(lastSequence)])
    }

    /// Notes how far the store was delivered, and deletes the delivered changes.
    mutating func note(
        _ progress: DeliveryProgress, _ connection: StoreConnection
    ) throws(StoreError) {
        through = progress.through
        try connection.database.run(
            "UPDATE store_state SET delivered_through = ?1, delivery_mark = ?2",
            [.integer(progress.through), .integer(progress.mark)])
        try connection.database.run(
            "DELETE FROM change WHERE sequence <= ?1", [.integer(progress.changesThrough)])
    }

    /// Counts exchanges that retention removes before they were delivered.
    mutating func noteLost(_ count: Int64, _ connection: StoreConnection) throws(StoreError) {
        lostCount &+= count
        try connection.database.run(
            "UPDATE store_state SET undelivered_lost = ?1", [.integer(lostCount)])
    }

    /// How many of these exchanges were not delivered; 0 if the store never was.
    func undeliveredCount(in ids: [Int64]) -> Int64 {
        guard let through else { return 0 }
        return Int64(ids.count { $0 > through })
    }
}
