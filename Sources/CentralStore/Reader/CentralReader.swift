package import ProxydCaptureModel
package import ProxydHTTPModel
internal import Synchronization

/// Reads a central store. Exchanges of all machines are in the order in which they started.
package final class CentralReader: Sendable {
    static let pageCount = 1_000
    /// How many places of rows are remembered.
    private static let placeCountMax = 20_000

    private let link: CentralLink
    private let facts = Mutex(Facts())

    private struct Facts {
        var names: [Int64: String] = [:]
        /// When rows that were returned started, in microseconds since 2000: a page starts after a
        /// row, even if that was removed meanwhile.
        var places: [Int64: Int64] = [:]
    }

    /// Creates a reader; it connects when it is first used.
    package init(_ link: CentralLink) { self.link = link }

    func use<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws(StoreError) -> Value {
        try link.use(body)
    }

    // MARK: Rows

    /// The columns that `ExchangeRow.init(_:)` decodes, then the shipper and the start.
    static let rowSQL = """
        SELECT exchange.id, exchange.method, exchange.scheme, exchange.host, exchange.port, \
        exchange.path, exchange.query, exchange.http_version, exchange.status, exchange.reason, \
        exchange.started_ns, exchange.duration_ns, exchange.request_body_bytes, \
        exchange.request_kept_bytes, exchange.response_body_bytes, exchange.response_kept_bytes, \
        exchange.request_type, exchange.response_type, exchange.client_address, \
        exchange.process, exchange.pid, exchange.server_address, exchange.tls_version, \
        exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error, \
        exchange.state, exchange.upgraded_to, exchange.replay_of, \
        array_to_json(exchange.tags)::text, exchange.note, exchange.pinned, \
        exchange.client_stream, exchange.message_count, exchange.grpc_status, \
        exchange.graphql_operation, exchange.graphql_type, array_to_json(exchange.rules)::text, \
        exchange.user_name, exchange.listener, exchange.named_client_address, \
        exchange.upstream, exchange.received_status, exchange.held_ns, exchange.started_at \
        FROM exchange
        """
    private static let startIndex = 42

    /// Decodes rows, and remembers their places.
    func rows(_ sql: String, _ arguments: [CentralValue]) throws(StoreError) -> [ExchangeRow] {
        let found = try use { connection throws(CentralError) in
            try connection.rows(sql, arguments) { row in
                (row: ExchangeRow(row), place: row.integer(CentralReader.startIndex) ?? 0)
            }
        }
        remember(found.map { ($0.row.id, $0.place) })
        return try found.map { (one) throws(StoreError) in
            var row = one.row
            row.storeName = try storeName(of: row.id)
            return row
        }
    }

    private func remember(_ places: [(ExchangeID, Int64)]) {
        facts.withLock { facts in
            if facts.places.count > CentralReader.placeCountMax { facts.places.removeAll() }
            for (id, place) in places { facts.places[id.rawValue] = place }
        }
    }

    static let startQuestion = "SELECT started_at FROM exchange WHERE id = $1"

    /// When an exchange started, in microseconds since 2000; nil if it does not exist. A statement
    /// that names it is planned for the tables of one day, instead of those of all days.
    func start(of id: ExchangeID) throws(StoreError) -> Int64? {
        if let known = facts.withLock({ $0.places[id.rawValue] }) { return known }
        let found = try use { connection throws(CentralError) in
            try connection.first(
                CentralReader.startQuestion, [.integer(id.rawValue)]
            ) { $0.integer(0) }
        }
        if let found { remember([(id, found)]) }
        return found
    }

    /// When an exchange started, in microseconds since 2000; if it does not exist, when the last
    /// one before it did that the same shipper delivered.
    func place(of id: ExchangeID) throws(StoreError) -> Int64 {
        if let known = facts.withLock({ $0.places[id.rawValue] }) { return known }
        let found = try use { connection throws(CentralError) in
            try connection.first(
                """
                SELECT started_at FROM exchange WHERE id BETWEEN $1 AND $2
                ORDER BY id DESC LIMIT 1
                """,
                [
                    .integer(CentralID.id(shipper: CentralID.shipper(of: id.rawValue), number: 0)),
                    .integer(id.rawValue),
                ]
            ) { $0.integer(0) }
        }
        return found ?? CentralTime.earliest
    }

    // MARK: Shippers

    package func storeName(of id: ExchangeID) throws(StoreError) -> String? {
        let number = CentralID.shipper(of: id.rawValue)
        if let known = facts.withLock({ $0.names[number] }) { return known }
        try readNames()
        return facts.withLock { $0.names[number] }
    }

    func shipper(named name: String) throws(StoreError) -> Int64? {
        let known = facts.withLock { $0.names.first { $0.value == name }?.key }
        if let known { return known }
        try readNames()
        return facts.withLock { $0.names.first { $0.value == name }?.key }
    }

    private func readNames() throws(StoreError) {
        let pairs = try use { connection throws(CentralError) in
            try connection.rows("SELECT no, name FROM shipper") { row in
                row.integer(0).flatMap { number in row.text(1).map { (number, $0) } }
            }
        }
        facts.withLock { $0.names = Dictionary(pairs) { first, _ in first } }
    }
}

/// Names of exchanges: those of their stores, which are the names of shippers, and their numbers.
extension CentralReader {
    package func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), let storeName = name.storeName,
            (0...CentralID.numberMask).contains(name.number),
            let shipper = try shipper(named: storeName)
        else { return nil }
        return ExchangeID(rawValue: CentralID.id(shipper: shipper, number: name.number))
    }

    package func name(of id: ExchangeID) throws(StoreError) -> String {
        ExchangeName(id, in: try storeName(of: id)).description
    }

    /// Changes the note, tags or pin of an exchange; fails with `.notFound` if it does not exist.
    package func annotate(_ change: AnnotationChange) throws(StoreError) {
        let count = try use { connection throws(CentralError) -> Int64? in
            try connection.transaction { () throws(CentralError) in
                let found = try connection.first(
                    "SELECT note, tags, pinned FROM exchange WHERE id = $1 FOR UPDATE",
                    [.integer(change.id.rawValue)]
                ) { row in
                    Exchange.Annotations(
                        note: row.text(0), tags: row.texts(1), isPinned: row.integer(2) == 1)
                }
                guard var annotations = found else { return nil }
                CentralReader.apply(change, to: &annotations)
                return try connection.run(
                    """
                    UPDATE exchange SET note = $2::text, tags = $3, pinned = $4,
                      annotated_at = now() WHERE id = $1
                    """,
                    [
                        .integer(change.id.rawValue), CentralValue(annotations.note),
                        .texts(annotations.tags), .boolean(annotations.isPinned),
                    ])
            }
        }
        guard count != nil else { throw .notFound(change.id.rawValue) }
    }

    private static func apply(
        _ change: AnnotationChange, to annotations: inout Exchange.Annotations
    ) {
        if let note = change.note { annotations.note = note.isEmpty ? nil : note }
        let removed = change.removedTags.map { OneLine.text($0) }
        annotations.tags.removeAll { removed.contains($0) }
        for tag in change.addedTags.map({ OneLine.text($0) })
        where !tag.isEmpty && !annotations.tags.contains(tag) {
            annotations.tags.append(tag)
        }
        annotations.isPinned = change.isPinned ?? annotations.isPinned
    }
}

/// SQL statements written by users, in PostgreSQL's own dialect.
extension CentralReader: SQLReading {
    package func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        try use { connection throws(CentralError) in
            try connection.execute("BEGIN READ ONLY")
            var problem: CentralError?
            do throws(CentralError) {
                try connection.run(
                    CentralStatement(text, hasTextResults: true),
                    onColumns: { columns throws(CentralError) in
                        try note(&failure) { () throws(StoreError) in
                            try onColumns(columns.map(\.name))
                        }
                    },
                    onRow: { row throws(CentralError) in
                        var goesOn = false
                        try note(&failure) { () throws(StoreError) in
                            goesOn = try onRow(row.shownValues)
                        }
                        return goesOn
                    })
            } catch {
                problem = error
            }
            try? connection.execute("ROLLBACK")
            guard failure == nil, let problem else { return }
            guard case .connection = problem else { throw problem }
            // Not thrown here, or the statement would be repeated on another connection, although
            // rows may have been passed on.
            failure = problem.storeError
        }
        if let failure { throw failure }

        func note(
            _ failure: inout StoreError?, _ body: () throws(StoreError) -> Void
        ) throws(CentralError) {
            do throws(StoreError) {
                try body()
            } catch {
                failure = error
                throw .cancelled
            }
        }
    }
}

extension CentralRow {
    /// The values of a row whose values are texts as people read them.
    fileprivate var shownValues: [SQLValue] {
        zip(columns, values).map { column, bytes in
            guard let bytes else { return .null }
            let text = String(decoding: bytes, as: UTF8.self)
            switch column.type {
            case PostgresType.bigint, PostgresType.integer, PostgresType.smallint:
                return Int64(text).map { .integer($0) } ?? .text(text)
            case PostgresType.real, PostgresType.double:
                return Double(text).map { .real($0) } ?? .text(text)
            case PostgresType.bytea: return CentralRow.blob(text).map { .blob($0) } ?? .text(text)
            default: return .text(text)
            }
        }
    }

    /// The bytes of `\\x` and hexadecimal digits.
    private static func blob(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("\\x") else { return nil }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
