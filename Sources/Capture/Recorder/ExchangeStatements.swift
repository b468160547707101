internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The statements that write exchanges, prepared once per connection.
struct ExchangeStatements {
    let insertExchange: InsertStatements
    let insertContent: InsertStatements
    let insertPiece: SQLiteStatement
    let insertFramePiece: SQLiteStatement
    let insertOpen: SQLiteStatement
    let deleteOpen: SQLiteStatement
    let updateExchange: SQLiteStatement
    let updateRequest: SQLiteStatement
    /// The statements for the blobs of `content` that may arrive later than the row.
    let updateContent: [(column: RecordedRow.Column, statement: SQLiteStatement)]
    let updateSentResponseHead: SQLiteStatement
    let updateDelivery: SQLiteStatement
    let selectPieces: SQLiteStatement
    let insertFault: SQLiteStatement
    let insertAppliedRule: SQLiteStatement
    let insertTag: SQLiteStatement
    let insertMessages: InsertStatements
    let updateGraphQL: SQLiteStatement

    init(_ connection: StoreConnection) throws(StoreError) {
        func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
            try SQLiteStatement(connection.database, sql)
        }
        insertExchange = try InsertStatements(
            connection.database, "INSERT INTO exchange", columnCount: 40)
        insertContent = try InsertStatements(
            connection.database, "INSERT INTO content", columnCount: 13)
        insertFramePiece = try prepare("INSERT INTO frame_piece VALUES (?1, ?2)")
        insertPiece = try prepare("INSERT INTO body_piece VALUES (?1, ?2)")
        insertOpen = try prepare("INSERT INTO open_exchange VALUES (?1)")
        deleteOpen = try prepare("DELETE FROM open_exchange WHERE exchange_id = ?1")
        updateExchange = try prepare(
            """
            UPDATE exchange SET state = ?2, status = coalesce(?3, status),
              reason = coalesce(?4, reason), response_type = coalesce(?5, response_type),
              request_body_bytes = ?6, request_kept_bytes = ?7, response_body_bytes = ?8,
              response_kept_bytes = ?9, duration_ns = ?10, timeline = ?11,
              client_connection_id = coalesce(?12, client_connection_id),
              server_connection_id = coalesce(?13, server_connection_id),
              error_origin = ?14, error_kind = ?15, error = ?16,
              upgraded_to = coalesce(?17, upgraded_to), flags = ?18,
              client_stream = coalesce(?19, client_stream),
              server_stream = coalesce(?20, server_stream), reset = coalesce(?21, reset),
              message_count = coalesce(?22, message_count),
              grpc_status = coalesce(?23, grpc_status), user = coalesce(?24, user), held_ns = ?25
            WHERE id = ?1
            """)
        updateRequest = try prepare(
            """
            UPDATE exchange SET method = coalesce(?2, method), scheme = coalesce(?3, scheme),
              host = coalesce(?4, host), port = coalesce(?5, port), path = coalesce(?6, path),
              query = coalesce(?7, query), http_version = coalesce(?8, http_version),
              request_type = coalesce(?9, request_type),
              head_format = coalesce(?10, head_format)
            WHERE id = ?1
            """)
        updateContent = try ExchangeStatements.updateContent(connection)
        updateSentResponseHead = try prepare(
            "UPDATE content SET response_head_sent = ?2 WHERE exchange_id = ?1")
        updateDelivery = try prepare(
            """
            UPDATE exchange SET status = ?2, reason = ?3, response_type = ?4,
              response_body_bytes = ?5, received_status = ?6, received_body_bytes = ?7
            WHERE id = ?1
            """)
        insertFault = try prepare(
            """
            INSERT INTO response_fault VALUES (?1, ?2, ?3, ?4)
              ON CONFLICT DO UPDATE SET
                refused_octets = coalesce(?2, refused_octets),
                refused_reason = coalesce(?3, refused_reason),
                repaired = coalesce(?4, repaired)
            """)
        insertAppliedRule = try prepare(
            "INSERT OR IGNORE INTO applied_rule VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        insertTag = try prepare(AnnotationWriter.insertTagSQL)
        insertMessages = try InsertStatements(
            connection.database, "INSERT OR IGNORE INTO message", columnCount: 10)
        updateGraphQL = try prepare(
            "UPDATE exchange SET graphql_operation = ?2, graphql_type = ?3 WHERE id = ?1")
        selectPieces = try prepare(
            "SELECT octets FROM body_piece WHERE key >= ?1 AND key < ?2 ORDER BY key")
    }

    private static func updateContent(
        _ connection: StoreConnection
    ) throws(StoreError) -> [(column: RecordedRow.Column, statement: SQLiteStatement)] {
        func update(_ column: String) throws(StoreError) -> SQLiteStatement {
            try SQLiteStatement(
                connection.database, "UPDATE content SET \(column) = ?2 WHERE exchange_id = ?1")
        }
        return [
            (.requestHead, try update("request_head")),
            (.responseHead, try update("response_head")),
            (.requestHeadCodings, try update("request_head_codings")),
            (.responseHeadCodings, try update("response_head_codings")),
            (.requestHeadSent, try update("request_head_sent")),
            (.requestTrailers, try update("request_trailers")),
            (.responseTrailers, try update("response_trailers")),
            // || turns blobs into text with the same bytes, and the cast restores the type.
            (
                .interimHeads,
                try SQLiteStatement(
                    connection.database,
                    """
                    UPDATE content SET interim_heads =
                      CAST(coalesce(interim_heads, x'') || ?2 AS BLOB) WHERE exchange_id = ?1
                    """)
            ),
        ]
    }
}

/// Binds the parts of a row to statement parameters.
extension ExchangeWriter {
    /// Binds a row of `exchange`. `graphQL` are the operations found in its parameters.
    func bindExchange(
        _ values: RowBinding, _ row: borrowing RecordedRow, _ graphQL: [GraphQLOperation]
    ) {
        values.bind(1, row.id)
        values.bind(2, row.startedNs)
        values.bind(3, row.state.stored)
        bindRequest(values, row, method: 4, url: 5, version: 10, type: 13)
        bindResponse(values, row, status: 11, reason: 12, type: 14)
        bindCounts(values, row, first: 15)
        bindTimeline(values, row, duration: 19, moments: 20)
        values.bind(21, row.clientConnection)
        values.bind(22, row.serverConnection)
        bindFailure(values, row, first: 23)
        values.bind(26, .upgradedTo, row)
        values.bind(27, row.replayOf)
        values.bind(28, (row.headFormat ?? .malformed).rawValue)
        values.bind(29, row.flags.rawValue)
        bindHTTP2(values, row, first: 30)
        bindMessages(values, row, first: 33)
        bindGraphQL(values, graphQL, first: 35)
        values.bind(37, .user, row)
        // 38 and 39, what was received, are known once the client has been sent something else.
        values.bind(40, row.heldNs)
    }

    /// Binds names and types of operations, one per line; NULL if there are none.
    func bindGraphQL(_ values: RowBinding, _ operations: [GraphQLOperation], first: Int32) {
        guard !operations.isEmpty else {
            values.bind(first, nil)
            values.bind(first + 1, nil)
            return
        }
        let text = GraphQLCoding.text(of: operations)
        arena.bindText(values.statement, values.before + first, text.names)
        arena.bindText(values.statement, values.before + first + 1, text.types)
    }

    /// Binds the number of messages and the status of a gRPC call.
    func bindMessages(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, row.messageCount)
        values.bind(first + 1, row.grpcStatus)
    }

    /// Binds a row of `content`, with the bodies if they are stored in it.
    func bindContent(_ values: RowBinding, _ row: borrowing RecordedRow) {
        values.bind(1, row.id)
        values.bind(2, .requestHead, row)
        values.bind(3, .responseHead, row)
        values.bind(4, .requestTrailers, row)
        values.bind(5, .responseTrailers, row)
        values.bind(6, .requestHeadSent, row)
        // The response head as forwarded is not known yet.
        values.bind(7, nil)
        values.bind(8, .interimHeads, row)
        values.bind(9, .requestBody, row)
        values.bind(10, .responseBody, row)
        values.bind(11, .requestHeadCodings, row)
        values.bind(12, .responseHeadCodings, row)
        values.bind(13, .frames, row)
    }

    func bindHTTP2(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        let facts = row.http2
        values.bind(first, facts?.clientStream.map { Int64($0.rawValue) })
        values.bind(first + 1, facts?.serverStream.map { Int64($0.rawValue) })
        values.bind(first + 2, facts?.reset.map(ResetCoding.number))
    }

    /// Binds method, version and type, and from `url` on scheme, host, port, path and query.
    func bindRequest(
        _ values: RowBinding, _ row: borrowing RecordedRow, method: Int32, url first: Int32,
        version: Int32, type: Int32
    ) {
        values.bind(method, .method, row)
        values.bind(first, .scheme, row)
        values.bind(first + 1, .host, row)
        values.bind(first + 2, row.port)
        values.bind(first + 3, .path, row)
        values.bind(first + 4, .query, row)
        values.bind(version, row.version)
        values.bind(type, .requestType, row)
    }

    func bindResponse(
        _ values: RowBinding, _ row: borrowing RecordedRow, status: Int32, reason: Int32,
        type: Int32
    ) {
        values.bind(status, row.status)
        values.bind(reason, .reason, row)
        values.bind(type, .responseType, row)
    }

    func bindCounts(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, row.request.seen)
        values.bind(first + 1, row.request.kept)
        values.bind(first + 2, row.response.seen)
        values.bind(first + 3, row.response.kept)
    }

    func bindTimeline(
        _ values: RowBinding, _ row: borrowing RecordedRow, duration: Int32, moments: Int32
    ) {
        values.bind(duration, row.durationNs)
        values.bind(moments, .timeline, row)
    }

    func bindFailure(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, .errorOrigin, row)
        values.bind(first + 1, .errorKind, row)
        values.bind(first + 2, .error, row)
    }
}

/// The parameters of one row in a statement that inserts several rows.
struct RowBinding {
    let statement: SQLiteStatement
    /// The number of parameters before this row's.
    var before: Int32 = 0
    /// The row's bytes; valid until the statement has run.
    let bytes: UnsafeRawBufferPointer

    func bind(_ index: Int32, _ value: Int64?) { statement.bind(before + index, value) }

    /// Binds a text or bytes; NULL if the row has no value in the column.
    func bind(_ index: Int32, _ column: RecordedRow.Column, _ row: borrowing RecordedRow) {
        guard let range = row.range(column) else { return statement.bindNull(before + index) }
        statement.bind(
            before + index, UnsafeRawBufferPointer(rebasing: bytes[range]), isText: column.isText)
    }
}

/// Memory for the values of a statement until it has run. This is cheaper than letting
/// SQLite copy each value into its own allocation.
final class BindArena {
    private static let byteCount = 64 << 10
    private let base: UnsafeMutableRawPointer
    private var used = 0
    /// Separate allocations for values that did not fit.
    private var others: [UnsafeMutableRawPointer] = []

    init() { base = .allocate(byteCount: BindArena.byteCount, alignment: 16) }

    deinit {
        reset()
        base.deallocate()
    }

    func reset() {
        used = 0
        guard !others.isEmpty else { return }
        for other in others { other.deallocate() }
        others = []
    }

    /// Copies bytes to memory that stays valid until `reset()`.
    func keep(_ bytes: Span<UInt8>) -> UnsafeRawBufferPointer {
        bytes.withUnsafeBytes { source in
            let start = room(byteCount: source.count)
            if let address = source.baseAddress {
                start.copyMemory(from: address, byteCount: source.count)
            }
            return UnsafeRawBufferPointer(start: start, count: source.count)
        }
    }

    /// Binds a text that is copied into the arena; nil is NULL.
    func bindText(_ statement: SQLiteStatement, _ index: Int32, _ text: String?) {
        guard let text else { return statement.bindNull(index) }
        statement.bind(index, keep(text.utf8Span.span), isText: true)
    }

    private func room(byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount <= BindArena.byteCount - used else {
            let other = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            others.append(other)
            return other
        }
        defer { used += byteCount }
        return base + used
    }
}
