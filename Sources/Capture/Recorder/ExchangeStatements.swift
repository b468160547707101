internal import ProxydCaptureModel

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
            // The operator || turns blobs into text: the bytes stay the same, and the cast restores
            // the type.
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
