public import ProxydCaptureModel
public import ProxydHTTPModel

/// Operations on the store for users and programs. Completions are called on the recorder's thread
/// and must not block; `wait(for:)` turns an operation into a call that returns when it is done.
extension Recorder {
    /// Calls the completion when everything recorded before is committed.
    public func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        perform(
            { (thread) throws(StoreError) in _ = try thread.openWriter() }, completion: completion)
    }

    /// Calls the closure when everything recorded before is committed, which then happens sooner
    /// than without readers, but for them at most 20 times a second; immediately if nothing waits
    /// to be committed or nothing can be written. The closure is called on any thread and must not
    /// block.
    public func commitSoon(_ done: @escaping @Sendable () -> Void) { queue.commitSoon(done) }

    /// Fills the index and the search files for a duration in nanoseconds, ahead of any recording,
    /// and reports how far they are. For programs that only import: the daemon fills them while
    /// there is nothing to record.
    public func fillIndexes(
        durationNs: Int64,
        completion: @escaping @Sendable (Result<IndexingProgress, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in try thread.fillIndexes(durationNs: durationNs) },
            completion: completion)
    }

    /// Changes the note, tags or pin of an exchange; fails with `.notFound` if it does not exist.
    public func annotate(
        _ change: AnnotationChange,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                try thread.attempt { () throws(StoreError) in
                    try AnnotationWriter.apply(change, writer)
                }
                if change.isPinned == false { thread.retention.restart() }
                thread.shared.publish(StoreChange(updated: [change.id]))
            }, completion: completion)
    }

    /// Stores finished exchanges unchanged under new numbers, in the same order, and reports the
    /// numbers when they are committed. References to other exchanges (`replayOf`) are kept
    /// unchanged.
    public func store(
        _ exchanges: [Exchange],
        completion: @escaping @Sendable (Result<[ExchangeID], StoreError>) -> Void
    ) {
        perform(
            { [self] (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                var ids: [ExchangeID] = []
                var batch = RecorderBatch()
                for exchange in exchanges {
                    let id = nextExchangeID()
                    ids.append(id)
                    add(exchange, id, to: &batch)
                }
                var change = StoreChange()
                try thread.attempt { () throws(StoreError) in
                    change = try writer.write(&batch)
                    for (exchange, id) in zip(exchanges, ids) {
                        try AnnotationWriter.store(exchange.annotations, id, writer)
                    }
                }
                thread.updateStatus()
                thread.shared.publish(change)
                return ids
            }, completion: completion)
    }

    /// Removes exchanges and everything that belongs to them in small steps, between batches of
    /// recording; reports how many were removed once they are gone from the files too.
    public func clear(
        _ selection: ClearSelection,
        completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void
    ) {
        let isAccepted = startRemoval {
            switch selection {
            case .unpinned: RemovalJob(.all(sparesPinned: true), completion: completion)
            case .all: RemovalJob(.all(sparesPinned: false), completion: completion)
            case .exchanges(let ids):
                RemovalJob(.listed(ids.map(\.rawValue)[...]), completion: completion)
            }
        }
        if !isAccepted { completion(.failure(.stopped)) }
    }

    private func add(_ exchange: Exchange, _ id: ExchangeID, to batch: inout RecorderBatch) {
        var update = ExchangeUpdate(exchange, id: id)
        if update.state == .active { update.state = .complete }
        update.clientConnection = add(exchange.client, to: &batch)
        update.serverConnection = add(exchange.server, to: &batch)
        if let row = RecordedRow(short: update) {
            _ = batch.add(row)
        } else {
            _ = batch.add(update)
        }
    }

    /// Stores a connection of an imported exchange under a new number.
    private func add(_ record: ConnectionRecord?, to batch: inout RecorderBatch) -> ConnectionID? {
        guard let record else { return nil }
        let id = nextConnectionID()
        batch.add(record.renumbered(id))
        return id
    }
}

/// The delivery to a central store.
extension Recorder {
    /// Notes how far the store has been delivered to a central store, and forgets the changes that
    /// were delivered. The first call makes the store note changes and, if so configured, makes
    /// retention wait for delivery.
    public func noteDelivery(
        _ progress: DeliveryProgress,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                try thread.noteDelivery(progress)
            }, completion: completion)
    }
}

/// How far the search files have got toward the newest exchange.
public struct IndexingProgress: Sendable, Hashable {
    /// The highest exchange number up to which all exchanges are in the search files.
    public let searchedThrough: Int64
    /// The newest exchange that belongs in them: the last two thousand are always scanned instead.
    public let lastID: Int64
    public let hasMore: Bool
    /// The most recent error, or nil if there was none.
    public let problem: String?
}

/// Writes notes, tags and pins.
enum AnnotationWriter {
    static func apply(_ change: AnnotationChange, _ writer: StoreWriter) throws(StoreError) {
        let id = change.id.rawValue
        guard try writer.connection.integer("SELECT count(*) FROM exchange WHERE id = \(id)") > 0
        else { throw .notFound(id) }
        try writer.transaction { () throws(StoreError) in
            try run(
                writer,
                """
                INSERT INTO annotation VALUES (?1, nullif(?2, ''), coalesce(?3, 0))
                ON CONFLICT (exchange_id) DO UPDATE SET
                  note = iif(?2 IS NULL, note, nullif(?2, '')), pinned = coalesce(?3, pinned)
                """
            ) {
                $0.bind(1, id)
                $0.bindCopy(2, change.note)
                $0.bind(3, change.isPinned.map { $0 ? 1 : 0 })
            }
            for tag in change.removedTags.map(OneLine.text) {
                try run(writer, "DELETE FROM tag WHERE exchange_id = ?1 AND tag = ?2") {
                    $0.bind(1, id)
                    $0.bindCopy(2, tag)
                }
            }
            for tag in change.addedTags.map(OneLine.text) where !tag.isEmpty {
                try add(tag, id, writer)
            }
            try writer.delivery.note(.annotated, [id...id], writer.connection)
        }
    }

    static func store(
        _ annotations: Exchange.Annotations, _ id: ExchangeID, _ writer: StoreWriter
    ) throws(StoreError) {
        guard annotations != Exchange.Annotations() else { return }
        try apply(
            AnnotationChange(
                id: id, note: annotations.note, addedTags: annotations.tags,
                isPinned: annotations.isPinned),
            writer)
    }

    /// Adds a tag (the second parameter) to an exchange (the first) unless it has it already.
    static let insertTagSQL = """
        INSERT INTO tag SELECT ?1, coalesce(max(position) + 1, 0), ?2
        FROM tag WHERE exchange_id = ?1
        HAVING NOT EXISTS (SELECT 1 FROM tag WHERE exchange_id = ?1 AND tag = ?2)
        """

    private static func add(_ tag: String, _ id: Int64, _ writer: StoreWriter) throws(StoreError) {
        try run(writer, insertTagSQL) {
            $0.bind(1, id)
            $0.bindCopy(2, tag)
        }
    }

    private static func run(
        _ writer: StoreWriter, _ sql: String, _ bind: (SQLiteStatement) -> Void
    ) throws(StoreError) {
        let statement = try SQLiteStatement(writer.connection.database, sql)
        bind(statement)
        try statement.run()
    }
}
