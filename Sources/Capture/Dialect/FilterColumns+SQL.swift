internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// Maps filter columns to SQL expressions on the store; the query must select from `exchange`.
extension FilterTextColumn {
    /// An expression on a row of `exchange`, made of fixed text only.
    var sqlExpression: String {
        switch self {
        case .method: "exchange.method"
        case .scheme: "exchange.scheme"
        case .host: "exchange.host"
        case .path: "exchange.path"
        case .query: "exchange.query"
        case .url: FilterTextColumn.urlExpression
        case .requestType: "exchange.request_type"
        case .responseType: "exchange.response_type"
        case .client: FilterTextColumn.ofConnection("client", "peer_address")
        case .namedClient: FilterTextColumn.ofConnection("client", "proxy_protocol_peer")
        case .server: FilterTextColumn.ofConnection("server", "peer_address")
        case .process: FilterTextColumn.ofConnection("client", "process")
        case .user: "exchange.user"
        case .listener: FilterTextColumn.ofConnection("client", "listener")
        case .upstream: FilterTextColumn.ofConnection("server", "upstream")
        case .error: SQLiteDialect.error
        case .refused: "(SELECT refused_reason FROM response_fault WHERE exchange_id = exchange.id)"
        case .repaired: "(SELECT repaired FROM response_fault WHERE exchange_id = exchange.id)"
        case .state: SQLiteDialect.state
        case .note: "(SELECT note FROM annotation WHERE exchange_id = exchange.id)"
        case .upgradedTo: "exchange.upgraded_to"
        case .spokenProtocol: "(\(SQLiteDialect.spokenProtocol))"
        case .reset: "(\(ResetCoding.sql("exchange.reset")))"
        case .grpcService: SQLiteDialect.grpcService
        case .grpcMethod: SQLiteDialect.grpcMethod
        case .grpcStatus: "(\(SQLiteDialect.grpcStatus("CAST(exchange.grpc_status AS TEXT)")))"
        case .store: "NULL"
        }
    }

    private static func ofConnection(_ side: String, _ column: String) -> String {
        "(SELECT \(column) FROM connection WHERE id = exchange.\(side)_connection_id)"
    }

    /// The same text as `RawURL.description`: brackets for IPv6, no default port, no path for `*`.
    private static let urlExpression = """
        (exchange.scheme || '://' \
        || iif(instr(exchange.host, ':'), '[' || exchange.host || ']', exchange.host) \
        || iif(exchange.port = CASE exchange.scheme WHEN 'https' THEN 443 WHEN 'http' THEN 80 END, \
        '', ':' || exchange.port) \
        || iif(exchange.path = '*' AND exchange.query IS NULL, '', exchange.path) \
        || ifnull('?' || exchange.query, ''))
        """
}

extension FilterNumberColumn {
    var sqlExpression: String {
        switch self {
        case .id: "exchange.id"
        case .port: "exchange.port"
        case .status: "exchange.status"
        case .receivedStatus: "exchange.received_status"
        case .responseSize: "exchange.response_body_bytes"
        case .requestSize: "exchange.request_body_bytes"
        case .duration: "exchange.duration_ns"
        case .held: "exchange.held_ns"
        case .started: "exchange.started_ns"
        case .replayOf: "exchange.replay_of"
        case .stream: "exchange.client_stream"
        case .httpVersion: "exchange.http_version"
        case .messageCount: FilterNumberColumn.messageCountExpression
        case .webSocketMessageCount:
            "iif(\(ExchangeProtocol.sql("exchange")) = 'ws', ifnull(exchange.message_count, 0), "
                + "NULL)"
        case .grpcStatus: "exchange.grpc_status"
        case .pinned: "(SELECT pinned FROM annotation WHERE exchange_id = exchange.id)"
        }
    }

    /// The same count as in an `ExchangeRow`.
    private static let messageCountExpression: String = {
        let names = ExchangeProtocol.allCases.filter(\.hasMessages).map { "'\($0.rawValue)'" }
        return "iif(\(ExchangeProtocol.sql("exchange")) IN (\(names.joined(separator: ", "))), "
            + "ifnull(exchange.message_count, 0), exchange.message_count)"
    }()
}

extension ExchangeProtocol {
    /// An SQL expression with the value of `ExchangeRow.spokenProtocol`, for a row of `exchange`
    /// under the given table name. LIKE ignores the case of ASCII letters.
    /// - Parameter knowsHTTP3: False for views of versions that did not.
    static func sql(_ table: String, knowsHTTP3: Bool = true) -> String {
        let http2 = "iif(\(table).scheme = 'http', 'h2c', 'h2')"
        let http3 = knowsHTTP3 ? "\n  WHEN \(table).http_version = 30 THEN 'h3'" : ""
        return """
            CASE WHEN \(table).state = 3 THEN 'tunnel'
              WHEN \(table).upgraded_to = 'websocket' THEN 'ws'
              WHEN \(table).request_type LIKE 'application/grpc-web%' THEN 'grpcweb'
              WHEN \(table).request_type LIKE 'application/grpc%' THEN 'grpc'
              WHEN \(table).response_type LIKE 'text/event-stream%' THEN 'sse'
              WHEN \(table).http_version = 20 THEN \(http2)\(http3)
              WHEN \(table).http_version IS NOT NULL THEN 'h1' END
            """
    }
}
