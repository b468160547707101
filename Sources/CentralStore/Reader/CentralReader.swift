package import ProxydCaptureModel
internal import ProxydFilter
package import ProxydHTTPModel
internal import ProxydStoreCoding
internal import Synchronization

/// Reads a central store. Exchanges are in the order in which they started, whichever machine they
/// come from.
package final class CentralReader: Sendable {
    /// How many rows are read at a time.
    static let pageCount = 1_000
    /// How many places of rows are remembered.
    private static let placeCountMax = 20_000

    private let link: CentralLink
    private let facts = Mutex(Facts())

    private struct Facts {
        /// The names of shippers by their numbers.
        var names: [Int64: String] = [:]
        /// When rows that were returned started, in microseconds since 2000: a page starts after a
        /// row, even if that was removed meanwhile.
        var places: [Int64: Int64] = [:]
    }

    /// Creates a reader; it connects when it is first used.
    package init(_ link: CentralLink) { self.link = link }

    /// Runs statements on the connection.
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
    func rows(
        _ sql: String, _ arguments: [CentralValue]
    ) throws(StoreError) -> [ExchangeRow] {
        let found = try use { connection throws(CentralError) in
            try connection.rows(sql, arguments) { row in
                (row: ExchangeRow(row), place: row.integer(CentralReader.startIndex) ?? 0)
            }
        }
        facts.withLock { facts in
            if facts.places.count > CentralReader.placeCountMax { facts.places.removeAll() }
            for one in found { facts.places[one.row.id.rawValue] = one.place }
        }
        return try found.map { (one) throws(StoreError) in
            var row = one.row
            row.storeName = try storeName(of: row.id)
            return row
        }
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
                    .integer(
                        CentralID.id(shipper: CentralID.shipper(of: id.rawValue), number: 0)),
                    .integer(id.rawValue),
                ]
            ) { $0.integer(0) }
        }
        return found ?? CentralTime.earliest
    }

    // MARK: Shippers

    /// The name of the store of an exchange.
    package func storeName(of id: ExchangeID) throws(StoreError) -> String? {
        let number = CentralID.shipper(of: id.rawValue)
        if let known = facts.withLock({ $0.names[number] }) { return known }
        try readNames()
        return facts.withLock { $0.names[number] }
    }

    /// The number of a shipper by its name.
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
