public import ProxydCaptureModel
package import ProxydHTTPModel
internal import ProxydParameterCoding
internal import Glibc

/// What a program needs that delivers the store to a central store.
extension StoreReader {
    private static let countedMax: Int64 = 65_536

    public func deliveryState() throws(StoreError) -> DeliveryState {
        let state = try read {
            try $0.first(
                """
                SELECT store_id, delivered_through, delivery_mark, undelivered_lost,
                  last_change_sequence, last_exchange_id
                FROM store_state
                """, [],
                { row in
                    DeliveryState(
                        storeID: row.bytes(0), deliveredThrough: row.integer(1),
                        mark: row.integer(2), undeliveredLost: row.integer(3) ?? 0,
                        lastExchangeID: row.integer(5) ?? 0,
                        lastChangeSequence: row.integer(4) ?? 0)
                })
        }
        return state ?? DeliveryState()
    }

    /// Returns the changes after a sequence number that were not delivered yet, at most `limit`,
    /// in their order.
    public func changes(after sequence: Int64, limit: Int) throws(StoreError) -> [ExchangeChange] {
        try read {
            try $0.rows(
                """
                SELECT sequence, first_id, last_id, kind FROM change
                WHERE sequence > ?1 AND first_id <= last_id
                  AND kind IN (\(StoreReader.changeKinds))
                ORDER BY sequence LIMIT ?2
                """, [.integer(sequence), .integer(Int64(limit))], StoreReader.change)
        }
    }

    private static let changeKinds = ExchangeChange.Kind.allCases.map { "\($0.rawValue)" }
        .joined(separator: ", ")

    /// Returns nil if the row is damaged.
    private static func change(_ row: SQLiteRow) -> ExchangeChange? {
        guard let sequence = row.integer(0), let first = row.integer(1), let last = row.integer(2),
            first <= last, let kind = row.integer(3).flatMap(ExchangeChange.Kind.init(rawValue:))
        else { return nil }
        return ExchangeChange(sequence: sequence, ids: first...last, kind: kind)
    }

    public func exchangeCount(after id: Int64) throws(StoreError) -> Int64 {
        var (total, last) = (Int64(0), id)
        while true {
            let found = try read {
                try $0.first(
                    """
                    SELECT count(*), max(id)
                    FROM (SELECT id FROM exchange WHERE id > ?1 ORDER BY id LIMIT ?2)
                    """, [.integer(last), .integer(StoreReader.countedMax)],
                    { ($0.integer(0) ?? 0, $0.integer(1) ?? .max) })
            }
            let (count, end) = found ?? (0, .max)
            total += count
            guard count == StoreReader.countedMax else { return total }
            last = end
        }
    }
}

/// Reads many exchanges with all their rows at a time, to copy them into another store.
extension StoreReader {
    package struct Deliverable: Sendable, Hashable {
        package let id: Int64
        /// When it started, in nanoseconds since 1970.
        package let startedNs: Int64
        package let isActive: Bool
        /// The size of its stored bodies and messages in bytes.
        package let byteCount: Int64
    }

    /// Returns the exchanges after a number, at most `limit`, in order of their numbers.
    package func deliverables(after id: Int64, limit: Int) throws(StoreError) -> [Deliverable] {
        try read {
            try $0.rows(
                "\(StoreReader.deliverableSQL) WHERE id > ? ORDER BY id LIMIT ?",
                [.integer(id), .integer(Int64(limit))], StoreReader.deliverable)
        }
    }

    /// Returns those of some exchanges that exist, in order of their numbers.
    package func deliverables(_ ids: [Int64]) throws(StoreError) -> [Deliverable] {
        try read {
            try $0.rows(
                "\(StoreReader.deliverableSQL) WHERE id IN \(StoreReader.listSQL) ORDER BY id",
                [StoreReader.list(ids)], StoreReader.deliverable)
        }
    }

    private static let deliverableSQL = """
        SELECT id, started_ns, state, \(StoredByteCount.sql) FROM exchange
        """

    private static func deliverable(_ row: SQLiteRow) -> Deliverable {
        Deliverable(
            id: row.integer(0) ?? 0, startedNs: row.integer(1) ?? 0,
            isActive: row.integer(2) == ExchangeState.active.stored,
            byteCount: max(0, row.integer(3) ?? 0))
    }

    private static let listSQL = "(SELECT value FROM json_each(?))"

    private static func list(_ ids: [Int64]) -> SQLValue {
        .text("[\(ids.map { "\($0)" }.joined(separator: ","))]")
    }

    /// Returns the records of those of some exchanges that exist, in order of their numbers.
    /// Bodies longer than `bodyByteCountMax` are not read.
    package func records(
        _ ids: [Int64], bodyByteCountMax: Int64
    ) throws(StoreError) -> [StoredRecord] {
        try read { database in
            let list = StoreReader.list(ids)
            var records: [Int64: StoredRecord] = [:]
            try StoreReader.readRows(list, into: &records, database)
            try StoreReader.readParameters(list, into: &records, database)
            try StoreReader.readAnnotations(list, into: &records, database)
            // Numbers are sorted, because records are too large to be moved about.
            var sorted: [StoredRecord] = []
            sorted.reserveCapacity(records.count)
            for id in records.keys.sorted() {
                guard var record = records.removeValue(forKey: id) else { continue }
                try StoreReader.readRest(&record, bodyByteCountMax, database)
                sorted.append(record)
            }
            return sorted
        }
    }

    private static func readRows(
        _ list: SQLValue, into records: inout [Int64: StoredRecord], _ database: SQLiteConnection
    ) throws {
        let columns = StoredRecord.columnNames.map { "exchange.\($0)" }
        let heads = StoredHeads.columns.map { "content.\($0)" }
        let statement = try database.statement(
            """
            SELECT \((columns + heads).joined(separator: ", ")), request_body, response_body
            FROM exchange LEFT JOIN content ON content.exchange_id = exchange.id
            WHERE exchange.id IN \(listSQL)
            """)
        statement.bind([list])
        try statement.forEachRow { row in
            var record = StoredRecord(
                values: columns.indices.map(row.value),
                heads: heads.indices.map { row.value(columns.count + $0) })
            record.requestBody = row.bytes(columns.count + heads.count)
            record.responseBody = row.bytes(columns.count + heads.count + 1)
            records[record.id] = record
        }
    }

    private static func readParameters(
        _ list: SQLValue, into records: inout [Int64: StoredRecord], _ database: SQLiteConnection
    ) throws {
        let statement = try database.statement(
            """
            SELECT exchange_id, position, source, name, value FROM parameter
            WHERE exchange_id IN \(listSQL)
            """)
        statement.bind([list])
        try statement.forEachRow { row in
            guard let source = row.text(2).flatMap(ExtractedParameter.Source.init(rawValue:))
            else { return }
            records[row.integer(0) ?? 0]?.parameters.append(
                StoredParameter(
                    position: row.integer(1) ?? 0,
                    parameter: ExtractedParameter(
                        source: source, name: row.text(3) ?? "", value: row.text(4))))
        }
    }

    private static func readAnnotations(
        _ list: SQLValue, into records: inout [Int64: StoredRecord], _ database: SQLiteConnection
    ) throws {
        let annotations = try database.statement(
            "SELECT exchange_id, note, pinned FROM annotation WHERE exchange_id IN \(listSQL)")
        annotations.bind([list])
        try annotations.forEachRow { row in
            records[row.integer(0) ?? 0]?.annotations.note = row.text(1)
            records[row.integer(0) ?? 0]?.annotations.isPinned = row.integer(2) == 1
        }
        let tags = try database.statement(
            "SELECT exchange_id, tag FROM tag WHERE exchange_id IN \(listSQL) ORDER BY position")
        tags.bind([list])
        try tags.forEachRow { row in
            records[row.integer(0) ?? 0]?.annotations.tags.append(row.text(1) ?? "")
        }
    }

    /// Reads, one exchange at a time, what few exchanges have, and long bodies.
    private static func readRest(
        _ record: inout StoredRecord, _ bodyByteCountMax: Int64, _ database: SQLiteConnection
    ) throws {
        let id = record.id
        if record.flags.contains(.appliedRules) {
            record.appliedRules = try StoredExchange.appliedRules(of: id, database)
        }
        if record.flags.contains(.responseFault) {
            record.responseFault = try StoredExchange.responseFault(of: id, database)
        }
        let frames = try StoredExchange.laterFrames(of: id, database)
        if !frames.isEmpty { record.addFrames(frames) }
        let kept = (
            record.values.integer(StoredRecord.Column.requestKeptBytes.rawValue) ?? 0,
            record.values.integer(StoredRecord.Column.responseKeptBytes.rawValue) ?? 0
        )
        record.requestBody = try body(record.requestBody, kept.0, .request, id, bodyByteCountMax)
        record.responseBody = try body(record.responseBody, kept.1, .response, id, bodyByteCountMax)
        record.requestBodySent = try StoredExchange.sentBody(of: id, .requestSent, .max, database)
        record.responseBodySent = try StoredExchange.sentBody(of: id, .responseSent, .max, database)

        /// Returns nil if the body is too long.
        func body(
            _ shared: [UInt8]?, _ kept: Int64, _ part: BodyPart, _ id: Int64, _ limit: Int64
        ) throws(StoreError) -> [UInt8]? {
            if let shared { return shared }
            guard kept > 0 else { return [] }
            return kept > limit ? nil : try StoredBody.bytes(of: id, part, database)
        }
    }

    /// Returns the facts about some connections; those that do not exist are omitted.
    package func connections(_ ids: [Int64]) throws(StoreError) -> [ConnectionRecord] {
        try read { database in
            try ids.compactMap { try StoredExchange.connection($0, database) }
        }
    }

    /// Whether the file that was opened still is the one at its path.
    package var isCurrent: Bool {
        var status = stat()
        return stat(path, &status) == 0 && UInt64(status.st_ino) == fileNumber
    }

    package func hasMessages(_ id: Int64) throws(StoreError) -> Bool {
        try read { try StoredMessages.lastPosition(of: id, $0) } != nil
    }
}
