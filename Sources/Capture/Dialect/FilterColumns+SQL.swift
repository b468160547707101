internal import ProxydFilter
internal import ProxydHTTPModel

/// Where the store keeps what filters look at; the table `exchange` is the one selected from.
extension FilterTextColumn {
    /// An expression over a row of `exchange`, made of fixed text only.
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
        case .client:
            "(SELECT peer_address FROM connection WHERE id = exchange.client_connection_id)"
        case .server:
            "(SELECT peer_address FROM connection WHERE id = exchange.server_connection_id)"
        case .process:
            "(SELECT process FROM connection WHERE id = exchange.client_connection_id)"
        case .error:
            "(exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error)"
        case .refused:
            "(SELECT refused_reason FROM response_fault WHERE exchange_id = exchange.id)"
        case .repaired:
            "(SELECT repaired FROM response_fault WHERE exchange_id = exchange.id)"
        case .state: FilterTextColumn.stateExpression
        case .note: "(SELECT note FROM annotation WHERE exchange_id = exchange.id)"
        case .upgradedTo: "exchange.upgraded_to"
        case .spokenProtocol: FilterTextColumn.protocolExpression
        case .reset: FilterTextColumn.resetExpression
        }
    }

    /// As `RawURL.description` writes it: brackets for IPv6, no default port, no path for `*`.
    private static let urlExpression = """
        (exchange.scheme || '://' \
        || iif(instr(exchange.host, ':'), '[' || exchange.host || ']', exchange.host) \
        || iif(exchange.port = CASE exchange.scheme WHEN 'https' THEN 443 WHEN 'http' THEN 80 END, \
        '', ':' || exchange.port) \
        || iif(exchange.path = '*' AND exchange.query IS NULL, '', exchange.path) \
        || ifnull('?' || exchange.query, ''))
        """

    private static let protocolExpression = "(\(ExchangeProtocol.sql("exchange")))"
    private static let resetExpression = "(\(ResetCoding.sql("exchange.reset")))"

    private static let stateExpression = """
        (CASE exchange.state WHEN 0 THEN 'active' WHEN 1 THEN 'complete' WHEN 2 THEN 'failed' \
        WHEN 3 THEN 'tunnel' END)
        """
}

extension FilterNumberColumn {
    /// An expression over a row of `exchange`, made of fixed text only.
    var sqlExpression: String {
        switch self {
        case .id: "exchange.id"
        case .port: "exchange.port"
        case .status: "exchange.status"
        case .responseSize: "exchange.response_body_bytes"
        case .requestSize: "exchange.request_body_bytes"
        case .duration: "exchange.duration_ns"
        case .started: "exchange.started_ns"
        case .replayOf: "exchange.replay_of"
        case .stream: "exchange.client_stream"
        case .httpVersion: "exchange.http_version"
        case .pinned: "(SELECT pinned FROM annotation WHERE exchange_id = exchange.id)"
        }
    }
}
