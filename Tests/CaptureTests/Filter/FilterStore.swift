import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydParameterCoding

@testable import Capture

/// The store's tables in memory, with rows in them.
struct FilterStore {
    let database: SQLiteConnection
    let rows: [FilterRow]

    init(_ rows: [FilterRow]) throws {
        self.rows = rows
        database = try SQLiteConnection(path: ":memory:", .writing)
        for migration in Schema.migrations { try database.execute(migration) }
        for row in rows { try row.insert(into: database) }
    }

    /// The ids that pass, as a reader of the store finds them: SQL, then the predicate.
    func ids(matching filter: Filter) throws -> [Int64] {
        let compiled = filter.compile()
        let ids = try database.integers(
            "SELECT id FROM exchange WHERE \(compiled.sqlCondition) ORDER BY id",
            compiled.arguments)
        guard let residual = compiled.residual else { return ids }
        let rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        return ids.filter { id in rows[id].map { residual.matches($0) } ?? false }
    }

    /// The ids that pass, without SQL.
    func idsByPredicate(matching filter: Filter) -> [Int64] {
        rows.filter { filter.matches($0) }.map(\.id).sorted()
    }
}

extension FilterRow {
    /// Writes the row into a database of the store's schema.
    func insert(into database: SQLiteConnection) throws(StoreError) {
        try database.run(
            """
            INSERT INTO exchange (id, started_ns, state, method, scheme, host, port, path,
              query, status, request_type, response_type, request_body_bytes,
              request_kept_bytes, response_body_bytes, response_kept_bytes, duration_ns,
              timeline, client_connection_id, server_connection_id, error_origin, error_kind,
              error, upgraded_to, replay_of, head_format, flags, http_version, client_stream,
              reset, message_count, grpc_status, graphql_operation, graphql_type, user)
            VALUES (\(Array(repeating: "?", count: 35).joined(separator: ",")))
            """, exchangeValues)
        try insertConnections(into: database)
        try insertMessages(into: database)
        for (index, tag) in tags.enumerated() {
            try database.run(
                "INSERT INTO tag VALUES (?, ?, ?)",
                [.integer(id), .integer(Int64(index)), .text(tag)])
        }
        for (index, rule) in appliedRules.enumerated() {
            try database.run(
                "INSERT INTO applied_rule VALUES (?, ?, ?, 'request', 'changed', NULL, NULL, NULL)",
                [.integer(id), .integer(Int64(index)), .text(rule)])
        }
        for (index, parameter) in parameters.enumerated() {
            try database.run(
                "INSERT INTO parameter VALUES (?, 'query', ?, ?, ?)",
                [
                    .integer(id), .integer(Int64(index)), .text(parameter.name),
                    SQLValue(parameter.value),
                ])
        }
        if texts[.refused] != nil || texts[.repaired] != nil {
            try database.run(
                "INSERT INTO response_fault VALUES (?, NULL, ?, ?)",
                [.integer(id), SQLValue(texts[.refused]), SQLValue(texts[.repaired])])
        }
        if !trailers.isEmpty {
            try database.run(
                "INSERT INTO content (exchange_id, response_trailers) VALUES (?, x'00')",
                [.integer(id)])
        }
        if texts[.note] != nil || numbers[.pinned] != nil {
            try database.run(
                "INSERT INTO annotation VALUES (?, ?, ?)",
                [.integer(id), SQLValue(texts[.note]), .integer(numbers[.pinned] ?? 0)])
        }
    }

    private var exchangeValues: [SQLValue] {
        // "upstream certificate: …", as ExchangeFailure writes it.
        let error = texts[.error].map { text in
            text.unicodeScalars.split(
                separator: " ", maxSplits: 2, omittingEmptySubsequences: false
            )
            .map { String($0) }
        }
        let states = ["active", "complete", "failed", "tunnel"]
        let state = texts[.state].flatMap { states.firstIndex(of: $0) }
        let head: [SQLValue] = [
            .integer(id), SQLValue(numbers[.started]), SQLValue(state.map { Int64($0) }),
            SQLValue(texts[.method]), SQLValue(texts[.scheme]), SQLValue(texts[.host]),
            SQLValue(numbers[.port]), SQLValue(texts[.path]), SQLValue(texts[.query]),
            SQLValue(numbers[.status]), SQLValue(texts[.requestType]),
            SQLValue(texts[.responseType]), SQLValue(numbers[.requestSize]),
            .integer(Int64(bodies[.request]?.count ?? 0)), SQLValue(numbers[.responseSize]),
            .integer(Int64(bodies[.response]?.count ?? 0)), SQLValue(numbers[.duration]),
            .blob([]),
        ]
        return head + [
            texts[.client] == nil ? .null : .integer(id * 2),
            texts[.server] == nil ? .null : .integer(id * 2 + 1), SQLValue(error?[0]),
            SQLValue(error.map { String($0[1].dropLast()) }), SQLValue(error?[2]),
            SQLValue(texts[.upgradedTo]), SQLValue(numbers[.replayOf]), .integer(0),
            .integer(appliedRules.isEmpty ? 0 : ExchangeFlags.appliedRules.rawValue),
            SQLValue(version), SQLValue(numbers[.stream]), SQLValue(reset),
        ] + messageValues
    }

    private var messageValues: [SQLValue] {
        let count = messages.count { $0.kind.isData }
        let text = GraphQLCoding.text(
            of: graphQLOperations.map {
                GraphQLOperation(kind: .init(rawValue: $0.type), name: $0.name)
            })
        let isGraphQL = !graphQLOperations.isEmpty
        return [
            count == 0 ? .null : .integer(Int64(count)), SQLValue(numbers[.grpcStatus]),
            isGraphQL ? .text(text.names) : .null, isGraphQL ? .text(text.types) : .null,
            SQLValue(texts[.user]),
        ]
    }

    private func insertMessages(into database: SQLiteConnection) throws(StoreError) {
        for (position, message) in messages.enumerated() {
            try database.run(
                "INSERT INTO message VALUES (?, ?, ?, 0, 0, ?, 0, NULL, ?, NULL)",
                [
                    .integer(Schema.MessageKey.key(exchange: id, position: Int64(position))),
                    .integer(message.direction.rawValue), .integer(message.kind.rawValue),
                    .integer(message.byteCount), .blob(message.bytes),
                ])
        }
    }

    private var reset: Int64? {
        texts[.reset].flatMap { text in
            (HTTP2ErrorCode(name: text) ?? UInt32(text).map(HTTP2ErrorCode.init)).map {
                ResetCoding.number(.init(side: .server, isOurs: true, code: $0))
            }
        }
    }

    private func insertConnections(into database: SQLiteConnection) throws(StoreError) {
        for (column, number) in [(FilterTextColumn.client, id * 2), (.server, id * 2 + 1)] {
            guard let address = texts[column] else { continue }
            func client(_ wanted: FilterTextColumn) -> SQLValue {
                SQLValue(column == .client ? texts[wanted] : nil)
            }
            try database.run(
                """
                INSERT INTO connection
                  (id, side, opened_ns, peer_address, local_address, process, listener,
                  proxy_protocol_peer, upstream)
                VALUES (?, ?, 0, ?, '', ?, ?, ?, ?)
                """,
                [
                    .integer(number), .text(column == .client ? "client" : "server"),
                    .text(address), client(.process), client(.listener), client(.namedClient),
                    SQLValue(column == .server ? texts[.upstream] : nil),
                ])
        }
    }
}
