internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The columns of an `ExchangeRow`, and how they are decoded. The table `exchange` must not be
/// aliased, because filter conditions refer to it by name.
enum RowSelection {
    static let sql = """
        SELECT exchange.id, exchange.method, exchange.scheme, exchange.host, exchange.port,
          exchange.path, exchange.query, exchange.http_version, exchange.status, exchange.reason,
          exchange.started_ns, exchange.duration_ns, exchange.request_body_bytes,
          exchange.request_kept_bytes, exchange.response_body_bytes, exchange.response_kept_bytes,
          exchange.request_type, exchange.response_type, c.peer_address, c.process, c.pid,
          s.peer_address, coalesce(s.tls_version, c.tls_version),
          exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error,
          exchange.state, exchange.upgraded_to, exchange.replay_of,
          (SELECT json_group_array(tag) FROM tag WHERE exchange_id = exchange.id),
          a.note, coalesce(a.pinned, 0), exchange.client_stream,
          exchange.message_count, exchange.grpc_status, exchange.graphql_operation,
          exchange.graphql_type,
          iif(exchange.flags & \(ExchangeFlags.appliedRules.rawValue),
            (SELECT json_group_array(rule) FROM applied_rule WHERE exchange_id = exchange.id),
            NULL),
          exchange.user, c.listener, c.proxy_protocol_peer, s.upstream
        FROM exchange
          LEFT JOIN connection c ON c.id = exchange.client_connection_id
          LEFT JOIN connection s ON s.id = exchange.server_connection_id
          LEFT JOIN annotation a ON a.exchange_id = exchange.id
        """

    static func row(_ columns: SQLiteRow) -> ExchangeRow {
        var row = ExchangeRow(
            id: ExchangeID(rawValue: columns.integer(0) ?? 0), method: columns.text(1),
            scheme: columns.text(2), host: columns.text(3), port: columns.int(4),
            path: columns.text(5), query: columns.text(6),
            httpVersion: columns.integer(7).map { number in
                HTTPVersion(
                    major: UInt8(clamping: number / 10), minor: UInt8(clamping: number % 10)
                ).description
            },
            status: columns.int(8), reason: columns.text(9), startedAtNs: columns.integer(10) ?? 0,
            durationNs: columns.integer(11), requestBodyByteCount: columns.integer(12) ?? 0,
            requestKeptByteCount: columns.integer(13) ?? 0,
            responseBodyByteCount: columns.integer(14) ?? 0,
            responseKeptByteCount: columns.integer(15) ?? 0,
            requestContentType: columns.text(16), responseContentType: columns.text(17),
            clientAddress: columns.text(18), process: columns.text(19), pid: columns.int(20),
            serverAddress: columns.text(21), tlsVersion: columns.text(22),
            error: columns.text(23), state: ExchangeState(stored: columns.integer(24) ?? 0),
            upgradedTo: columns.text(25), stream: columns.int(30),
            replayOf: columns.integer(26).map { ExchangeID(rawValue: $0) },
            tags: texts(columns.text(27)), note: columns.text(28),
            isPinned: columns.integer(29) == 1)
        let noMessages: Int64? = row.spokenProtocol?.hasMessages == true ? 0 : nil
        row.messageCount = columns.integer(31) ?? noMessages
        row.grpcStatus = columns.int(32)
        row.graphQL = GraphQLCoding.operations(names: columns.text(33), types: columns.text(34))
        row.rules = AppliedRule.names(texts(columns.text(35)))
        row.user = columns.text(36)
        row.listener = columns.text(37)
        row.namedClientAddress = columns.text(38)
        row.upstream = columns.text(39)
        return row
    }

    /// The strings of a JSON array.
    private static func texts(_ json: String?) -> [String] {
        guard let json, json != "[]",
            case .array(let values)? = try? JSONReader().read(Array(json.utf8))
        else { return [] }
        return values.compactMap {
            if case .string(let text) = $0 { text } else { nil }
        }
    }
}
