internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Large deletions, one step between batches, and what they depend on.
extension RecorderThread {
    /// How much one step gives back to the file system, in bytes.
    private static let shrinkByteCount: Int64 = 1 << 20
    /// How much free space retention leaves in the file for new exchanges, in bytes, at least.
    private static let freeByteCountMin: Int64 = 8 << 20

    var freeByteCount: Int64 {
        configuration.faults?.freeByteCount?() ?? FileSystem.freeByteCount(directory.path)
    }

    /// Whether there is so little free space that retention no longer waits for delivery: before
    /// the floor is reached, so that recording need not pause first.
    var isSpaceScarce: Bool {
        let floor = configuration.freeSpaceFloorByteCount
        return freeByteCount < floor &+ floor / 4
    }

    /// Notes how far the store was delivered, even while recording is paused because the disk is
    /// full: what was delivered may be deleted to make room.
    func noteDelivery(_ progress: DeliveryProgress) throws(StoreError) {
        if case .full = problem, let writer { return try write(progress, writer) }
        let writer = try openWriter()
        try attempt { () throws(StoreError) in try write(progress, writer) }
    }

    private func write(_ progress: DeliveryProgress, _ writer: StoreWriter) throws(StoreError) {
        try writer.transaction { () throws(StoreError) in
            try writer.delivery.note(progress, writer.connection)
        }
    }

    func openWriter() throws(StoreError) -> StoreWriter {
        if let problem { throw problem }
        guard let writer else { throw .stopped }
        return writer
    }

    /// Runs a closure that writes; a disk failure pauses recording too.
    func attempt(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try body()
        } catch {
            if case .notFound = error { throw error }
            if !error.isAboutContent { pause(for: error) }
            throw error
        }
    }

    /// Performs one step of the first job.
    func removeSome() throws(StoreError) {
        guard let writer, var job = removals.first else { return }
        switch job.phase {
        case .removing: try remove(&job, writer)
        case .shrinking:
            try shrink(&job, writer)
            updateStatus()
        case .done: break
        }
        if case .done = job.phase {
            removals.removeFirst()
            job.completion?(.success(job.removedCount))
        } else {
            removals[0] = job
        }
    }

    func failRemovals() {
        for job in removals { job.completion?(.failure(.stopped)) }
        removals = []
    }

    private func remove(_ job: inout RemovalJob, _ writer: StoreWriter) throws(StoreError) {
        let step = try nextStep(&job, writer)
        guard !step.ids.isEmpty else {
            job.phase = .shrinking
            return
        }
        let remover = try ExchangeRemover(writer.connection)
        let before = writer.exchangeCount
        let lostCount = job.isByUser ? 0 : writer.delivery.undeliveredCount(in: step.ids)
        try writer.transaction { () throws(StoreError) in
            var removed: [ClosedRange<Int64>] = []
            for run in step.runs where try writer.remove(run, remover) { removed.append(run) }
            if job.isByUser {
                try writer.delivery.note(.removed, removed, writer.connection)
            } else if lostCount > 0 {
                try writer.delivery.noteLost(lostCount, writer.connection)
            }
        }
        if !job.isByUser, let last = step.ids.last { retention.advance(to: last) }
        if lostCount > 0, retention.policy.waitsForDelivery {
            job.isForSpace = true
            job.phase = .shrinking
        }
        job.removedCount += before - writer.exchangeCount
        updateStatus()
        shared.publish(StoreChange(removed: step.ids.map { ExchangeID(rawValue: $0) }))
    }

    private func nextStep(
        _ job: inout RemovalJob, _ writer: StoreWriter
    ) throws(StoreError) -> RemovalStep {
        let connection = writer.connection
        switch job.selection {
        case .listed(let rest):
            let step = try RemovalStep(rest, in: connection)
            job.selection = .listed(rest.dropFirst(step.ids.count))
            return step
        case .retention:
            let victims = try retention.victims(
                writer, isSpaceScarce: isSpaceScarce, countMax: RemovalStep.countMax)
            return try RemovalStep(victims, in: connection)
        case .all(let sparesPinned):
            let ids = try allIDs(from: job.cursor, sparesPinned: sparesPinned, writer)
            let step = try RemovalStep(ids, in: connection)
            // After the highest existing number it wraps around and finds nothing.
            if let last = step.ids.last { job.cursor = last &+ 1 }
            return step
        }
    }

    private func allIDs(
        from cursor: Int64, sparesPinned: Bool, _ writer: StoreWriter
    ) throws(StoreError) -> [Int64] {
        let spared =
            sparesPinned
            ? "AND NOT EXISTS (SELECT 1 FROM annotation WHERE exchange_id = id AND pinned)" : ""
        let statement = try SQLiteStatement(
            writer.connection.database,
            "SELECT id FROM exchange WHERE id >= ?1 \(spared) ORDER BY id LIMIT ?2")
        statement.bind(1, cursor)
        statement.bind(2, Int64(RemovalStep.countMax))
        var ids: [Int64] = []
        try statement.forEachRow { ids.append($0.integer(0) ?? 0) }
        return ids
    }

    /// Gives free pages back to the file system. Exchanges that a user cleared must be gone from
    /// the files; retention makes room for new exchanges, so only large amounts are given back,
    /// unless other files need the space.
    private func shrink(_ job: inout RemovalJob, _ writer: StoreWriter) throws(StoreError) {
        let connection = writer.connection
        let free = try connection.integer("PRAGMA freelist_count")
        let floor: Int64
        if !job.isByUser, !job.isForSpace {
            floor = max(
                RecorderThread.freeByteCountMin / connection.pageByteCount,
                try connection.integer("PRAGMA page_count") / 4)
        } else {
            floor = 0
        }
        if free > floor {
            let pageCount = RecorderThread.shrinkByteCount / connection.pageByteCount
            try connection.execute("PRAGMA incremental_vacuum(\(max(1, pageCount)))")
            return
        }
        // The log contains the deleted data until it is truncated. A reader with an old snapshot
        // can delay that, and the next checkpoint overwrites the data.
        if floor == 0 { _ = try connection.checkpoint(isTruncating: true) }
        if job.isByUser { discardIndexes() } else { search.dropEmptied() }
        job.phase = job.isForSpace ? .removing : .done
        job.isForSpace = false
    }
}

/// A deletion that may be large, done in steps so that recording does not wait for it.
struct RemovalJob {
    enum Selection {
        case all(sparesPinned: Bool)
        case listed(ArraySlice<Int64>)
        /// The oldest exchanges, until the limits of the retention policy are met.
        case retention
    }

    enum Phase {
        case removing
        /// Free pages are given back to the file system.
        case shrinking
        case done
    }

    var selection: Selection
    var phase = Phase.removing
    /// The number from which the search for more exchanges continues.
    var cursor = Int64.min
    var removedCount: Int64 = 0
    /// Whether exchanges were removed for lack of space: their pages are given back to the file
    /// system before it is decided whether more have to go.
    var isForSpace = false
    var completion: (@Sendable (Result<Int64, StoreError>) -> Void)?

    /// Whether a user asked for it, and not the retention policy.
    var isByUser: Bool {
        if case .retention = selection { false } else { true }
    }

    init(
        _ selection: Selection, completion: (@Sendable (Result<Int64, StoreError>) -> Void)? = nil
    ) {
        self.selection = selection
        self.completion = completion
    }
}

/// The exchanges that one step of a deletion removes. Neighbours are deleted together: one
/// statement that deletes many rows costs a fraction of many that delete one each.
struct RemovalStep {
    /// The maximum number of exchanges in a step; it takes a few milliseconds.
    static let countMax = 500
    /// The maximum total size of their bodies in bytes, unless a single exchange is larger: deleted
    /// data is overwritten and goes through the log.
    static let keptByteCountMax: Int64 = 4 << 20

    let ids: [Int64]

    /// Takes as many of the first numbers as one step removes.
    init(_ candidates: some Collection<Int64>, in connection: StoreConnection) throws(StoreError) {
        let statement = try SQLiteStatement(
            connection.database, "SELECT \(StoredByteCount.sql) FROM exchange WHERE id = ?1")
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

    var runs: [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for id in ids {
            // A number may occur twice; below the lowest one, wrapping around finds nothing.
            if let last = runs.last, last.upperBound == id || last.upperBound == id &- 1 {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }
}

/// Deletes exchanges with everything that belongs to them. Call it inside a transaction only.
struct ExchangeRemover {
    private let statements: [SQLiteStatement]

    init(_ connection: StoreConnection) throws(StoreError) {
        let tables = [
            ("content", "exchange_id"), ("parameter", "exchange_id"),
            ("annotation", "exchange_id"), ("tag", "exchange_id"),
            ("open_exchange", "exchange_id"), ("response_fault", "exchange_id"),
            ("applied_rule", "exchange_id"), ("exchange", "id"),
        ]
        let shift = Schema.ChunkKey.exchangeShift
        var statements: [SQLiteStatement] = []
        for table in ["body_piece", "frame_piece", "message"] {
            statements.append(
                try SQLiteStatement(
                    connection.database,
                    """
                    DELETE FROM \(table)
                    WHERE key BETWEEN ?1 << \(shift) AND (?2 << \(shift)) + ((1 << \(shift)) - 1)
                      AND ?1 >= \(Schema.ChunkKey.exchangeIDs.lowerBound)
                      AND ?2 < \(Schema.ChunkKey.exchangeIDs.upperBound)
                    """))
        }
        for (table, column) in tables {
            statements.append(
                try SQLiteStatement(
                    connection.database, "DELETE FROM \(table) WHERE \(column) BETWEEN ?1 AND ?2"))
        }
        self.statements = statements
    }

    func remove(_ ids: ClosedRange<Int64>) throws(StoreError) {
        for statement in statements {
            statement.bind(1, ids.lowerBound)
            statement.bind(2, ids.upperBound)
            try statement.run()
        }
    }
}
