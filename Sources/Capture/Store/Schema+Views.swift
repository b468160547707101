internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// The views that users query.
extension Schema {
    static let messagesView = """
        CREATE VIEW messages (exchange_id, position, at, direction, kind, bytes, text, problem) AS
          SELECT m.key >> 28, m.key & 268435455,
            strftime('%Y-%m-%dT%H:%M:%fZ', ((e.started_ns + m.time_ns) / 1000000) / 1000.0,
              'unixepoch'),
            iif(m.direction = 0, 'to_server', 'to_client'),
            CASE m.kind WHEN 1 THEN 'text' WHEN 2 THEN 'binary' WHEN 8 THEN 'close'
              WHEN 9 THEN 'ping' WHEN 10 THEN 'pong' WHEN 16 THEN 'grpc' WHEN 17 THEN 'event'
              WHEN 18 THEN 'comment' WHEN 19 THEN 'trailers' ELSE 'invalid' END,
            m.bytes, iif(m.kind = 1, CAST(m.octets AS TEXT), NULL), m.problem
          FROM message m JOIN exchange e ON e.id = m.key >> 28;

        """

    static let views = #"""
        CREATE VIEW head (exchange_id, part, octets) AS
          SELECT exchange_id, 0, request_head FROM content WHERE request_head IS NOT NULL
          UNION ALL
          SELECT exchange_id, 1, response_head FROM content WHERE response_head IS NOT NULL
          UNION ALL
          SELECT exchange_id, 2, request_trailers FROM content WHERE request_trailers IS NOT NULL
          UNION ALL
          SELECT exchange_id, 3, response_trailers FROM content WHERE response_trailers IS NOT NULL
          UNION ALL
          SELECT exchange_id, 4, request_head_sent FROM content WHERE request_head_sent IS NOT NULL
          UNION ALL
          SELECT exchange_id, 5, response_head_sent FROM content
            WHERE response_head_sent IS NOT NULL
          UNION ALL
          SELECT exchange_id, 16, interim_heads FROM content WHERE interim_heads IS NOT NULL;
        CREATE VIEW body_chunk (exchange_id, part, position, octets) AS
          SELECT exchange_id, 0, 0, request_body FROM content WHERE request_body IS NOT NULL
          UNION ALL
          SELECT exchange_id, 1, 0, response_body FROM content WHERE response_body IS NOT NULL
          UNION ALL
          SELECT c.exchange_id, (p.key >> 26) & 3, p.key & 67108863, p.octets
            FROM content c CROSS JOIN body_piece p
            ON p.key >= c.exchange_id << 28 AND p.key < (c.exchange_id + 1) << 28;
        """#

    /// Version 3: the URL of a CONNECT always has its port.
    static let defaultPort = "CASE e.scheme WHEN 'https' THEN 443 WHEN 'http' THEN 80 END"

    static let exchangesView = exchangesView(defaultPort: defaultPort, columns: .held)

    /// The names of the rules applied to an exchange as JSON strings separated by commas, each
    /// once, in order; NULL if there are none.
    private static func ruleNames(_ exchange: String) -> String {
        #"""
        SELECT group_concat(DISTINCT
            '"' || replace(replace(rule, '\', '\\'), '"', '\"') || '"')
          FROM applied_rule WHERE exchange_id = \#(exchange).id
        """#
    }

    /// Which columns a view has: those of its version and of all earlier ones.
    enum ViewColumns: Int { case first, http2, messages, graphQL, rules, user, held }

    /// The columns after those of version 1.
    private static func laterColumns(_ columns: ViewColumns) -> String {
        var later = ""
        let spoken = ExchangeProtocol.sql("e", knowsHTTP3: columns == .held)
        if columns.rawValue >= ViewColumns.http2.rawValue {
            later += ",\n    \(spoken) AS protocol,\n    e.client_stream AS stream"
        }
        if columns.rawValue >= ViewColumns.messages.rawValue {
            later += """
                ,
                    iif(\(spoken) IN ('ws', 'grpc', 'grpcweb', 'sse'),
                      coalesce(e.message_count, 0), e.message_count) AS messages,
                    e.grpc_status AS grpc_status
                """
        }
        if columns.rawValue >= ViewColumns.graphQL.rawValue {
            later += """
                ,
                    e.graphql_operation AS graphql_operation,
                    e.graphql_type AS graphql_type
                """
        }
        if columns.rawValue >= ViewColumns.rules.rawValue {
            later += """
                ,
                    '[' || iif(e.flags & \(ExchangeFlags.appliedRules.rawValue),
                      coalesce((\(ruleNames("e"))), ''), '') || ']' AS rules
                """
        }
        if columns.rawValue >= ViewColumns.user.rawValue { later += ",\n    e.user AS user" }
        if columns.rawValue >= ViewColumns.held.rawValue {
            later += """
                ,
                    e.received_status AS received_status,
                    round(e.held_ns / 1000000.0, 3) AS held_ms
                """
        }
        return later
    }

    /// `defaultPort` is the port that a URL omits.
    static func exchangesView(defaultPort: String, columns: ViewColumns) -> String {
        let versionText = "'HTTP/' || (e.http_version / 10) || '.' || (e.http_version % 10)"
        // A view of an earlier version stays as it is, so that it can be told from a damaged one.
        let version =
            switch columns {
            case .first: versionText
            case .held:
                "iif(e.http_version IN (20, 30), 'HTTP/' || (e.http_version / 10), \(versionText))"
            default: "iif(e.http_version = 20, 'HTTP/2', \(versionText))"
            }
        return #"""
            CREATE VIEW exchanges AS
              SELECT
                e.id AS id,
                e.method AS method,
                e.scheme || '://' || iif(instr(e.host, ':'), '[' || e.host || ']', e.host)
                  || iif(e.port = \#(defaultPort), '', ':' || e.port)
                  || iif(e.path = '*' AND e.query IS NULL, '', e.path)
                  || coalesce('?' || e.query, '') AS url,
                e.scheme AS scheme,
                e.host AS host,
                e.port AS port,
                e.path AS path,
                e.query AS query,
                \#(version) AS http_version,
                e.status AS status,
                e.reason AS reason,
                strftime('%Y-%m-%dT%H:%M:%fZ', (e.started_ns / 1000000) / 1000.0, 'unixepoch')
                  AS started_at,
                round(e.duration_ns / 1000000.0, 3) AS duration_ms,
                e.request_body_bytes AS request_body_bytes,
                e.response_body_bytes AS response_body_bytes,
                e.request_type AS request_content_type,
                e.response_type AS response_content_type,
                c.peer_address AS client_address,
                c.process AS process,
                c.pid AS pid,
                s.peer_address AS server_address,
                coalesce(s.tls_version, c.tls_version) AS tls_version,
                e.error_origin || ' ' || e.error_kind || ': ' || e.error AS error,
                CASE e.state WHEN 0 THEN 'active' WHEN 1 THEN 'complete' WHEN 2 THEN 'failed'
                  ELSE 'tunnel' END AS state,
                e.replay_of AS replay_of,
                '[' || coalesce((SELECT group_concat(
                    '"' || replace(replace(tag, '\', '\\'), '"', '\"') || '"', ',')
                  FROM tag WHERE exchange_id = e.id), '') || ']' AS tags,
                a.note AS note,
                coalesce(a.pinned, 0) AS pinned\#(laterColumns(columns))
              FROM exchange e
                LEFT JOIN connection c ON c.id = e.client_connection_id
                LEFT JOIN connection s ON s.id = e.server_connection_id
                LEFT JOIN annotation a ON a.exchange_id = e.id;
            """#
    }
}
