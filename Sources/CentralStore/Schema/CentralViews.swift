/// The views for people's SQL, with the columns of a local store's.
enum CentralViews {
    static let all = exchanges(replacing: false, hasReceivedStatus: false) + messages

    /// A number as `STORE:NUMBER`, or NULL.
    private static func name(_ id: String, _ shipper: String) -> String {
        "\(shipper).name || ':' || (\(id) & \(CentralID.numberMask))"
    }

    /// - Parameters:
    ///   - replacing: Whether the view is there already; it can only get further columns.
    ///   - hasReceivedStatus: Whether the table has the columns of the first addition.
    static func exchanges(replacing: Bool, hasReceivedStatus: Bool) -> String {
        """
        CREATE \(replacing ? "OR REPLACE " : "")VIEW exchanges AS
          SELECT
            \(name("exchange.id", "shipper")) AS id,
            exchange.method AS method,
            \(CentralSchema.url) AS url,
            exchange.scheme AS scheme,
            exchange.host AS host,
            exchange.port AS port,
            exchange.path AS path,
            exchange.query AS query,
            CASE exchange.http_version WHEN 20 THEN 'HTTP/2' WHEN 30 THEN 'HTTP/3' ELSE
              'HTTP/' || (exchange.http_version / 10) || '.' || (exchange.http_version % 10) END
              AS http_version,
            exchange.status AS status,
            exchange.reason AS reason,
            exchange.started_at AS started_at,
            round(exchange.duration_ns / 1000000.0, 3) AS duration_ms,
            exchange.request_body_bytes AS request_body_bytes,
            exchange.response_body_bytes AS response_body_bytes,
            exchange.request_type AS request_content_type,
            exchange.response_type AS response_content_type,
            exchange.client_address AS client_address,
            exchange.process AS process,
            exchange.pid AS pid,
            exchange.server_address AS server_address,
            exchange.tls_version AS tls_version,
            exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error AS error,
            CASE exchange.state WHEN 0 THEN 'active' WHEN 1 THEN 'complete' WHEN 2 THEN 'failed'
              ELSE 'tunnel' END AS state,
            (SELECT \(name("exchange.replay_of", "original")) FROM shipper original
              WHERE original.no = exchange.replay_of >> \(CentralID.numberBits)) AS replay_of,
            array_to_json(exchange.tags)::text AS tags,
            exchange.note AS note,
            exchange.pinned AS pinned,
            \(protocolSQL("exchange")) AS protocol,
            exchange.client_stream AS stream,
            CASE WHEN \(protocolSQL("exchange")) IN ('ws', 'grpc', 'grpcweb', 'sse')
              THEN coalesce(exchange.message_count, 0) ELSE exchange.message_count END AS messages,
            exchange.grpc_status AS grpc_status,
            exchange.graphql_operation AS graphql_operation,
            exchange.graphql_type AS graphql_type,
            coalesce(array_to_json(exchange.rules)::text, '[]') AS rules,
            exchange.user_name AS "user"\(hasReceivedStatus ? receivedColumns : "")
          FROM exchange JOIN shipper ON shipper.no = exchange.shipper_no;

        """
    }

    private static let receivedColumns = """
        ,
            exchange.received_status AS received_status,
            round(exchange.held_ns / 1000000.0, 3) AS held_ms
        """

    private static let messages = """
        CREATE VIEW messages AS
          SELECT \(name("message.exchange_id", "shipper")) AS exchange_id,
            message.position AS position,
            exchange.started_at + message.time_ns / 1000 * interval '1 microsecond' AS at,
            CASE message.direction WHEN 0 THEN 'to_server' ELSE 'to_client' END AS direction,
            CASE message.kind WHEN 1 THEN 'text' WHEN 2 THEN 'binary' WHEN 8 THEN 'close'
              WHEN 9 THEN 'ping' WHEN 10 THEN 'pong' WHEN 16 THEN 'grpc' WHEN 17 THEN 'event'
              WHEN 18 THEN 'comment' WHEN 19 THEN 'trailers' ELSE 'invalid' END AS kind,
            message.bytes AS bytes,
            CASE WHEN message.kind = 1 THEN readable_text(message.octets) END AS text,
            message.problem AS problem
          FROM message JOIN exchange USING (started_at)
            JOIN shipper ON shipper.no = exchange.shipper_no
          WHERE exchange.id = message.exchange_id;

        """

    /// The value of `ExchangeRow.spokenProtocol`, for a row of `exchange` under the given name.
    static func protocolSQL(_ table: String) -> String {
        """
        CASE WHEN \(table).state = 3 THEN 'tunnel' \
        WHEN \(table).upgraded_to = 'websocket' THEN 'ws' \
        WHEN \(table).request_type ILIKE 'application/grpc-web%' THEN 'grpcweb' \
        WHEN \(table).request_type ILIKE 'application/grpc%' THEN 'grpc' \
        WHEN \(table).response_type ILIKE 'text/event-stream%' THEN 'sse' \
        WHEN \(table).http_version = 20 \
        THEN CASE \(table).scheme WHEN 'http' THEN 'h2c' ELSE 'h2' END \
        WHEN \(table).http_version = 30 THEN 'h3' \
        WHEN \(table).http_version IS NOT NULL THEN 'h1' END
        """
    }
}
