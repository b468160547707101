/// The database's tables and views; `docs/SCHEMA.md` documents each column.
enum Schema {
    /// The schema version this program writes, stored in `user_version`.
    static let version = 10
    /// Identifies the file ("pxyd"), for `file` and to avoid writing to another program's database.
    static let applicationID = 0x7078_7964
    /// The page size of a new store. Large enough that several exchanges share a page and little of
    /// it is wasted, because each page costs a few system calls. Small enough that a single commit
    /// of three or four pages stays cheap.
    static let pageByteCount = 16384

    /// The highest exchange or connection number after which the store continues. A higher one is
    /// damage; above the limit there is room for as many again before the keys of pieces overflow.
    static let lastIDMax: Int64 = 1 << 34

    /// Migrates an empty database to version 1, then each version to the next.
    static let migrations = [
        tables + views
            + exchangesView(defaultPort: "iif(e.scheme = 'https', 443, 80)", columns: .first),
        responseFaults,
        "DROP VIEW exchanges;\n" + exchangesView(defaultPort: defaultPort, columns: .first),
        columns(4) + framePieces + "DROP VIEW exchanges;\n"
            + exchangesView(defaultPort: defaultPort, columns: .http2),
        columns(5) + "DROP TABLE message;\n" + messageTable + protoFiles
            + "DROP VIEW exchanges;\n"
            + exchangesView(defaultPort: defaultPort, columns: .messages) + messagesView,
        columns(6) + "DROP VIEW exchanges;\n"
            + exchangesView(defaultPort: defaultPort, columns: .graphQL),
        appliedRules + "DROP VIEW exchanges;\n"
            + exchangesView(defaultPort: defaultPort, columns: .rules),
        columns(8) + "DROP VIEW exchanges;\n"
            + exchangesView(defaultPort: defaultPort, columns: .user),
        columns(9) + changeTable + "UPDATE store_state SET store_id = randomblob(16)",
        columns(10) + "DROP VIEW exchanges;\n" + exchangesView,
    ]

    private static func columns(_ version: Int, of table: String? = nil) -> String {
        newColumns.filter { $0.version == version && (table == nil || $0.table == table) }
            .map { "ALTER TABLE \($0.table) ADD COLUMN \($0.column) \($0.type);\n" }.joined()
    }

    /// Creates what an older store lacks, for a read-only connection: empty tables and current
    /// views, temporary in this connection only. They hide the real ones if a recorder migrates the
    /// store while it is open here; the next connection sees those.
    static func temporaryParts(after version: Int) -> String {
        guard version < Schema.version else { return "" }
        let missing =
            (version < 2 ? responseFaults : "") + (version < 4 ? framePieces : "")
            + (version < 5 ? messageTable + protoFiles : "")
            + (version < 7 ? appliedRules + columns(10, of: "applied_rule") : "")
            + (version < 9 ? changeTable : "")
            + widerTables(after: version)
            + exchangesView + (version < 5 ? messagesView : "")
        return missing.replacing("CREATE TABLE", with: "CREATE TEMP TABLE")
            .replacing("CREATE VIEW", with: "CREATE TEMP VIEW")
    }

    private struct NewColumn {
        let version: Int
        let table: String
        let column: String
        let type: String
    }

    /// Columns added to tables later, NULL in older rows. Version 4: the HTTP/2 columns; version 5:
    /// the message columns; version 6: the GraphQL operations; version 8: how the client connected,
    /// and as which user; version 9: what was delivered to a central store; version 10: what the
    /// server sent if the client received something else, and holds.
    private static let newColumns = [
        NewColumn(version: 4, table: "exchange", column: "client_stream", type: "INTEGER"),
        NewColumn(version: 4, table: "exchange", column: "server_stream", type: "INTEGER"),
        NewColumn(version: 4, table: "exchange", column: "reset", type: "INTEGER"),
        NewColumn(version: 4, table: "content", column: "request_head_codings", type: "BLOB"),
        NewColumn(version: 4, table: "content", column: "response_head_codings", type: "BLOB"),
        NewColumn(version: 4, table: "content", column: "frames", type: "BLOB"),
        NewColumn(version: 4, table: "connection", column: "our_settings", type: "BLOB"),
        NewColumn(version: 4, table: "connection", column: "peer_settings", type: "BLOB"),
        NewColumn(version: 4, table: "connection", column: "frames", type: "BLOB"),
        NewColumn(version: 5, table: "exchange", column: "message_count", type: "INTEGER"),
        NewColumn(version: 5, table: "exchange", column: "grpc_status", type: "INTEGER"),
        NewColumn(version: 6, table: "exchange", column: "graphql_operation", type: "TEXT"),
        NewColumn(version: 6, table: "exchange", column: "graphql_type", type: "TEXT"),
        NewColumn(version: 8, table: "exchange", column: "user", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "listener", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "mode", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "original_address", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "proxy_protocol_peer", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "upstream", type: "TEXT"),
        NewColumn(version: 8, table: "connection", column: "requested_authorities", type: "TEXT"),
        NewColumn(
            version: 8, table: "connection", column: "shows_client_certificate", type: "INTEGER"),
        NewColumn(version: 10, table: "exchange", column: "received_status", type: "INTEGER"),
        NewColumn(version: 10, table: "exchange", column: "received_body_bytes", type: "INTEGER"),
        NewColumn(version: 10, table: "exchange", column: "held_ns", type: "INTEGER"),
        NewColumn(version: 10, table: "applied_rule", column: "hold_start_ns", type: "INTEGER"),
        NewColumn(version: 10, table: "applied_rule", column: "hold_ns", type: "INTEGER"),
        NewColumn(version: 9, table: "store_state", column: "store_id", type: "BLOB"),
        NewColumn(version: 9, table: "store_state", column: "delivered_through", type: "INTEGER"),
        NewColumn(version: 9, table: "store_state", column: "delivery_mark", type: "INTEGER"),
        NewColumn(
            version: 9, table: "store_state", column: "undelivered_lost",
            type: "INTEGER NOT NULL DEFAULT 0"),
        NewColumn(
            version: 9, table: "store_state", column: "last_change_sequence",
            type: "INTEGER NOT NULL DEFAULT 0"),
    ]

    /// Version 5: the messages of WebSockets, event streams and gRPC calls. Earlier versions had an
    /// unused table of this name.
    private static let messageTable = """
        CREATE TABLE message (
          key INTEGER PRIMARY KEY,
          direction INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          flags INTEGER NOT NULL,
          time_ns INTEGER NOT NULL,
          bytes INTEGER NOT NULL,
          wire_bytes INTEGER NOT NULL,
          body_offset INTEGER,
          octets BLOB,
          problem TEXT
        );

        """

    /// Version 5: descriptions of protobuf messages, from users or from server reflection.
    private static let protoFiles = """
        CREATE TABLE proto_file (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          source TEXT NOT NULL,
          added_ns INTEGER NOT NULL,
          octets BLOB NOT NULL
        );

        """

    /// Version 5. `text` is NULL for messages that are part of a body.
    private static let framePieces = """
        CREATE TABLE frame_piece (
          key INTEGER PRIMARY KEY,
          octets BLOB NOT NULL
        );

        """

    /// The tables of an older store with all columns.
    private static func widerTables(after version: Int) -> String {
        ["exchange", "content", "connection", "store_state", "applied_rule"].compactMap {
            table -> String? in
            // Without any, the table has been made with all columns.
            if table == "applied_rule", version < 7 { return nil }
            let columns = newColumns.filter { $0.table == table && $0.version > version }
                .map { "NULL AS \($0.column)" }.joined(separator: ", ")
            guard !columns.isEmpty else { return nil }
            return "CREATE VIEW \(table) AS SELECT *, \(columns) FROM main.\(table);\n"
        }.joined()
    }

    /// The bit layout of a message's key: exchange, then position (28 bits).
    enum MessageKey {
        static let positionMax: Int64 = 1 << ChunkKey.exchangeShift - 1

        /// The key; positions too large for the key share the last one.
        static func key(exchange: Int64, position: Int64) -> Int64 {
            exchange << ChunkKey.exchangeShift | min(max(0, position), positionMax)
        }
    }

    /// The bit layout of a chunk's key: exchange, then part (2 bits), then position (26 bits).
    enum ChunkKey {
        static let positionBits: Int64 = 26
        static let exchangeShift: Int64 = 28
        /// The exchange numbers whose pieces have unique keys. Others occur only in a damaged
        /// store, and their pieces would belong to another exchange.
        static let exchangeIDs: Range<Int64> = 0..<(1 << (63 - exchangeShift))
        static let positionMax: Int64 = 1 << positionBits - 1

        static func key(exchange: Int64, part: BodyPart, position: Int64) -> Int64 {
            exchange << exchangeShift | part.rawValue << positionBits | position
        }
    }

    private static let tables = """
        CREATE TABLE exchange (
          id INTEGER PRIMARY KEY,
          started_ns INTEGER NOT NULL,
          state INTEGER NOT NULL,
          method TEXT,
          scheme TEXT,
          host TEXT,
          port INTEGER,
          path TEXT,
          query TEXT,
          http_version INTEGER,
          status INTEGER,
          reason TEXT,
          request_type TEXT,
          response_type TEXT,
          request_body_bytes INTEGER NOT NULL,
          request_kept_bytes INTEGER NOT NULL,
          response_body_bytes INTEGER NOT NULL,
          response_kept_bytes INTEGER NOT NULL,
          duration_ns INTEGER,
          timeline BLOB NOT NULL,
          client_connection_id INTEGER,
          server_connection_id INTEGER,
          error_origin TEXT,
          error_kind TEXT,
          error TEXT,
          upgraded_to TEXT,
          replay_of INTEGER,
          head_format INTEGER NOT NULL,
          flags INTEGER NOT NULL
        );
        CREATE TABLE content (
          exchange_id INTEGER PRIMARY KEY,
          request_head BLOB,
          response_head BLOB,
          request_trailers BLOB,
          response_trailers BLOB,
          request_head_sent BLOB,
          response_head_sent BLOB,
          interim_heads BLOB,
          request_body BLOB,
          response_body BLOB
        );
        CREATE TABLE body_piece (
          key INTEGER PRIMARY KEY,
          octets BLOB NOT NULL
        );
        CREATE TABLE parameter (
          exchange_id INTEGER NOT NULL,
          source TEXT NOT NULL,
          position INTEGER NOT NULL,
          name TEXT NOT NULL,
          value TEXT,
          PRIMARY KEY (exchange_id, source, position)
        ) WITHOUT ROWID;
        CREATE TABLE connection (
          id INTEGER PRIMARY KEY,
          side TEXT NOT NULL,
          opened_ns INTEGER NOT NULL,
          peer_address TEXT NOT NULL,
          local_address TEXT NOT NULL,
          tls_version TEXT,
          tls_cipher TEXT,
          alpn TEXT,
          sni TEXT,
          certificate_chain_id INTEGER,
          resumed INTEGER,
          pid INTEGER,
          process TEXT
        );
        CREATE TABLE certificate_chain (
          id INTEGER PRIMARY KEY,
          octets BLOB NOT NULL
        );
        CREATE TABLE message (
          exchange_id INTEGER NOT NULL,
          position INTEGER NOT NULL,
          direction INTEGER NOT NULL,
          time_ns INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          octets BLOB NOT NULL,
          PRIMARY KEY (exchange_id, position)
        ) WITHOUT ROWID;
        CREATE TABLE annotation (
          exchange_id INTEGER PRIMARY KEY,
          note TEXT,
          pinned INTEGER NOT NULL
        );
        CREATE TABLE tag (
          exchange_id INTEGER NOT NULL,
          position INTEGER NOT NULL,
          tag TEXT NOT NULL,
          PRIMARY KEY (exchange_id, position)
        ) WITHOUT ROWID;
        CREATE TABLE open_exchange (
          exchange_id INTEGER PRIMARY KEY
        );
        CREATE TABLE store_state (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          exchange_count INTEGER NOT NULL,
          last_exchange_id INTEGER NOT NULL,
          last_connection_id INTEGER NOT NULL,
          barrier_count INTEGER NOT NULL
        );
        INSERT INTO store_state VALUES (1, 0, 0, 0, 0);

        """

    /// Version 2. A separate table, because few exchanges have a row and others pay nothing.
    private static let responseFaults = """
        CREATE TABLE response_fault (
          exchange_id INTEGER PRIMARY KEY,
          refused_octets BLOB,
          refused_reason TEXT,
          repaired TEXT
        );

        """

    /// Version 7. A separate table for the same reason.
    static let appliedRules = """
        CREATE TABLE applied_rule (
          exchange_id INTEGER NOT NULL,
          position INTEGER NOT NULL,
          rule TEXT NOT NULL,
          phase TEXT NOT NULL,
          outcome TEXT NOT NULL,
          detail TEXT,
          PRIMARY KEY (exchange_id, position)
        ) WITHOUT ROWID;

        """

    /// Version 9: what users changed and a central store does not know yet.
    private static let changeTable = """
        CREATE TABLE change (
          sequence INTEGER PRIMARY KEY,
          first_id INTEGER NOT NULL,
          last_id INTEGER NOT NULL,
          kind INTEGER NOT NULL
        );

        """

    /// Only harmless functions may be used here: readers that do not trust the file's schema (as
    /// this program's readers do) may not call others through a view, including SQLite 3.40's JSON
    /// functions.
}

/// The body that a chunk belongs to; the raw value is stored.
enum BodyPart: Int64, Sendable {
    case request = 0
    case response = 1
    case requestSent = 2
    case responseSent = 3
}
