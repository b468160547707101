package import ProxydCaptureModel
internal import ProxydCivilTime
package import ProxydHTTPModel

/// Writes what a shipper delivers. Each batch is one transaction that moves the shipper's cursor,
/// so that after any failure one row tells both sides where to continue.
package final class CentralDelivery {
    private let connection: any CentralConnection
    private let lineage: ShipperLineage
    private let additions: CentralAdditions
    private var shipper: Int64 { lineage.current }
    private var connections: ConnectionCopier
    private var knownDays: Set<Int64> = []

    /// - Parameter additions: The columns that the store has in addition to those of its version.
    package init(
        _ connection: any CentralConnection, _ lineage: ShipperLineage,
        _ additions: CentralAdditions = .all
    ) {
        self.connection = connection
        self.lineage = lineage
        self.additions = additions
        connections = ConnectionCopier(shipper: lineage.current)
    }

    package func state() throws(CentralError) -> ShipperState {
        let state = try connection.first(
            "SELECT \(ShipperState.columns) FROM shipper WHERE no = $1::bigint",
            [.integer(shipper)], ShipperState.init)
        guard let state else { throw .location("the central store no longer knows this shipper") }
        return state
    }

    /// Returns the moment before which exchanges are not kept, in nanoseconds since 1970; nil if
    /// all are. The largest of the shippers' values counts, and one without a value keeps all.
    package func keptFromNs() throws(CentralError) -> Int64? {
        let found = try connection.first(
            """
            SELECT CASE WHEN count(*) = count(retention_age_days) THEN
              (extract(epoch FROM date_trunc('day', now())) * 1000000)::bigint
                - max(retention_age_days)::bigint * 86400000000 END
            FROM shipper
            """
        ) { $0.integer(0) }
        // A limit that cannot be computed keeps all.
        return found.flatMap { Nanoseconds.of(microseconds: $0) }
    }

    /// Delivers a batch, if the cursor still is where it was when the batch was made.
    /// - Returns: False if another shipper of the same store was faster; nothing was written then.
    package func deliver(
        _ batch: DeliveryBatch, after state: ShipperState
    ) throws(CentralError) -> Bool {
        try makeDays(Set(batch.exchanges.map(\.day)))
        var copied = ConnectionCopier.Batch(batch.exchanges)
        let isDelivered = try connection.transaction { () throws(CentralError) in
            guard try isUnchanged(state) else { return false }
            let kept = try removeEarlier(batch.laterVersions)
            try ExchangeCopier(connection, lineage, additions).copy(batch.exchanges)
            try connections.copy(&copied, connection)
            try restore(kept)
            try annotate(batch)
            try remove(batch.removals)
            try advance(batch)
            return true
        }
        if isDelivered { connections.remember(copied) }
        return isDelivered
    }

    /// Notes an exchange that the server does not take, and passes it over.
    package func reject(
        _ number: Int64, _ error: CentralError, _ batch: DeliveryBatch, after state: ShipperState
    ) throws(CentralError) -> Bool {
        guard case .server(let code, let message) = error else { throw error }
        var rest = batch
        rest.exchanges = []
        rest.laterVersions = []
        // They come with the next batch.
        rest.changeSequence = state.changeSequence
        return try connection.transaction { () throws(CentralError) in
            guard try isUnchanged(state) else { return false }
            try connection.run(
                """
                INSERT INTO rejected (shipper_no, id, sqlstate, message)
                VALUES ($1::bigint, $2, $3, $4) ON CONFLICT (shipper_no, id) DO UPDATE
                  SET sqlstate = excluded.sqlstate, message = excluded.message, at = now()
                """,
                [.integer(shipper), .integer(number), .text(code), .text(message)])
            try advance(rest)
            return true
        }
    }

    /// Replaces the shipper's descriptions of messages.
    package func deliver(_ files: [ProtoFile]) throws(CentralError) {
        try connection.transaction { () throws(CentralError) in
            try connection.run(
                "DELETE FROM proto_file WHERE shipper_no = $1::bigint", [.integer(shipper)])
            for file in files {
                try connection.run(
                    """
                    INSERT INTO proto_file (shipper_no, name, source, added_ns, octets)
                    VALUES ($1::bigint, $2, $3, $4, $5)
                    """,
                    [
                        .integer(shipper), .text(file.name), .text(file.source.rawValue),
                        .integer(file.addedNs), .bytes(file.bytes),
                    ])
            }
        }
    }

    /// Drops the days before a moment, in nanoseconds since 1970; returns how many tables.
    @discardableResult
    package func dropDays(beforeNs: Int64) throws(CentralError) -> Int64 {
        let count = try connection.first(
            "SELECT drop_days(date '2000-01-01' + $1::bigint::integer)::bigint",
            [.integer(CentralTime.day(ns: beforeNs))]
        ) { $0.integer(0) }
        knownDays.removeAll()
        return count ?? 0
    }

    /// Makes the tables of a moment's day and of the next one, before they are needed.
    package func prepareDays(fromNs ns: Int64) throws(CentralError) {
        let day = CentralTime.day(ns: ns)
        try makeDays([day, day + 1])
    }

    private func makeDays(_ days: Set<Int64>) throws(CentralError) {
        for day in days.subtracting(knownDays).sorted() {
            try connection.run(
                "SELECT make_day(date '2000-01-01' + $1::bigint::integer)", [.integer(day)])
            knownDays.insert(day)
        }
    }

    // MARK: In a transaction

    /// Locks the shipper's row; only the holder of the lock delivers.
    private func isUnchanged(_ state: ShipperState) throws(CentralError) -> Bool {
        let found = try connection.first(
            """
            SELECT through_id, change_sequence, open_ids FROM shipper WHERE no = $1::bigint
            FOR UPDATE
            """, [.integer(shipper)]
        ) { (through: $0.integer(0), change: $0.integer(1), open: $0.integers(2)) }
        return found?.through == state.throughID && found?.change == state.changeSequence
            && found?.open == state.openIDs
    }

    private func advance(_ batch: DeliveryBatch) throws(CentralError) {
        try connection.run(
            """
            UPDATE shipper SET through_id = $2, open_ids = $3, change_sequence = $4,
              delivered = delivered + $5, skipped = skipped + $6, seen_at = now()
            WHERE no = $1::bigint
            """,
            [
                .integer(shipper), .integer(batch.throughID), .integers(batch.openIDs),
                .integer(batch.changeSequence), .integer(Int64(batch.exchanges.count)),
                .integer(batch.skipped),
            ])
    }

    /// What users of the central store added to an earlier version.
    private struct KeptAnnotations {
        let id: Int64
        let annotations: Exchange.Annotations
    }

    private func removeEarlier(_ numbers: [Int64]) throws(CentralError) -> [KeptAnnotations] {
        guard !numbers.isEmpty else { return [] }
        let ids = CentralValue.integers(numbers.map(lineage.id))
        let kept = try connection.rows(
            """
            SELECT id, note, tags, pinned FROM exchange
            WHERE id = ANY ($1) AND annotated_at IS NOT NULL
            """, [ids]
        ) { row in
            row.integer(0).map {
                KeptAnnotations(
                    id: $0,
                    annotations: Exchange.Annotations(
                        note: row.text(1), tags: row.texts(2), isPinned: row.integer(3) == 1))
            }
        }
        try remove(where: "exchange.id = ANY ($1)", [ids])
        return kept
    }

    private func restore(_ kept: [KeptAnnotations]) throws(CentralError) {
        for one in kept { try setAnnotations(of: one.id, one.annotations, annotatedAt: "now()") }
    }

    private func setAnnotations(
        of id: Int64, _ annotations: Exchange.Annotations, annotatedAt: StaticString
    ) throws(CentralError) {
        try connection.run(
            """
            UPDATE exchange SET note = $2, tags = $3, pinned = $4, annotated_at = \(annotatedAt)
            WHERE id = $1
            """,
            [
                .integer(id), CentralValue(annotations.note), .texts(annotations.tags),
                .boolean(annotations.isPinned),
            ])
    }

    private func annotate(_ batch: DeliveryBatch) throws(CentralError) {
        for change in batch.annotations {
            try setAnnotations(
                of: lineage.id(of: change.number), change.annotations, annotatedAt: "annotated_at")
        }
    }

    private func remove(_ removals: [ClosedRange<Int64>]) throws(CentralError) {
        for range in removals.flatMap(lineage.ids) {
            try remove(
                where: "exchange.id BETWEEN $1 AND $2",
                [.integer(range.lowerBound), .integer(range.upperBound)])
        }
    }

    private static let partTables = [
        "content", "body_piece", "body_text", "parameter", "message", "applied_rule",
    ]

    private func remove(where condition: String, _ arguments: [CentralValue]) throws(CentralError) {
        for table in CentralDelivery.partTables {
            try connection.run(
                """
                DELETE FROM \(table) part USING exchange WHERE \(condition)
                  AND part.started_at = exchange.started_at AND part.exchange_id = exchange.id
                """, arguments)
        }
        try connection.run("DELETE FROM exchange WHERE \(condition)", arguments)
    }
}

package struct DeliveryBatch {
    package var exchanges: [DeliveredExchange] = []
    /// The numbers of exchanges of which an earlier version may have been delivered.
    package var laterVersions: [Int64] = []
    /// The number up to which nothing is left to deliver afterwards, and the exceptions.
    package var throughID: Int64
    package var openIDs: [Int64]
    /// How many exchanges were passed over because they are too old.
    package var skipped: Int64 = 0
    /// The changes to exchanges that were delivered before.
    package var annotations: [(number: Int64, annotations: Exchange.Annotations)] = []
    package var removals: [ClosedRange<Int64>] = []
    /// The change up to which nothing is left to deliver afterwards.
    package var changeSequence: Int64

    package init(after state: ShipperState) {
        throughID = state.throughID
        openIDs = state.openIDs
        changeSequence = state.changeSequence
    }
}

package struct DeliveredExchange {
    /// Its values in its own store, without what redaction removed.
    package var record: StoredRecord
    package var client: ConnectionRecord?
    package var server: ConnectionRecord?
    /// Passes its messages on, page by page; nil if it has none.
    package var messages: ((_ page: ([MessageRow]) throws -> Void) throws -> Void)?
    /// Passes a body that is not in the record on, piece by piece; nil if it has both.
    package var longBody:
        ((_ part: StoredMessage, _ piece: ([UInt8]) throws -> Void) throws -> Void)?

    /// Creates an exchange without connections, messages and long bodies.
    package init(_ record: StoredRecord) { self.record = record }

    var day: Int64 { CentralTime.day(ns: record.startedNs) }
}
