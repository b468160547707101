internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// Maps filter columns to expressions on a row of `exchange`, made of fixed text only.
extension FilterTextColumn {
    var centralExpression: String {
        switch self {
        case .method: "exchange.method"
        case .scheme: "exchange.scheme"
        case .host: "exchange.host"
        case .path: "exchange.path"
        case .query: "exchange.query"
        case .url: CentralSchema.url
        case .requestType: "exchange.request_type"
        case .responseType: "exchange.response_type"
        case .client: "exchange.client_address"
        case .namedClient: "exchange.named_client_address"
        case .server: "exchange.server_address"
        case .process: "exchange.process"
        case .user: "exchange.user_name"
        case .listener: "exchange.listener"
        case .upstream: "exchange.upstream"
        case .error: PostgresDialect.error
        case .refused: FilterTextColumn.ofContent("refused_reason")
        case .repaired: FilterTextColumn.ofContent("repaired")
        case .state: PostgresDialect.state
        case .note: "exchange.note"
        case .upgradedTo: "exchange.upgraded_to"
        case .spokenProtocol: "(\(PostgresDialect.spokenProtocol))"
        case .reset: FilterTextColumn.named(ResetCoding.sql("exchange.reset"))
        case .grpcService: PostgresDialect.grpcService
        case .grpcMethod: PostgresDialect.grpcMethod
        case .grpcStatus:
            FilterTextColumn.named(PostgresDialect.grpcStatus("exchange.grpc_status::text"))
        case .store: "(SELECT name FROM shipper WHERE no = exchange.shipper_no)"
        }
    }

    /// A name that SQL makes, in the collation of the columns: in that of a Turkish database, lower
    /// case I is another letter.
    private static func named(_ expression: String) -> String { "((\(expression)) COLLATE \"C\")" }

    /// Only exchanges with a flag have such a value.
    private static func ofContent(_ column: String) -> String {
        """
        (CASE WHEN exchange.flags & \(ExchangeFlags.responseFault.rawValue) <> 0 THEN \
        (SELECT \(column) FROM content WHERE content.started_at = exchange.started_at \
        AND content.exchange_id = exchange.id) END)
        """
    }
}

extension FilterNumberColumn {
    var centralExpression: String {
        switch self {
        case .id: "(exchange.id & \(CentralID.numberMask))"
        case .port: "exchange.port"
        case .status: "exchange.status"
        case .receivedStatus: "exchange.received_status"
        case .responseSize: "exchange.response_body_bytes"
        case .requestSize: "exchange.request_body_bytes"
        case .duration: "exchange.duration_ns"
        case .held: "exchange.held_ns"
        case .started: "exchange.started_ns"
        case .replayOf: "(exchange.replay_of & \(CentralID.numberMask))"
        case .pinned: "(CASE WHEN exchange.pinned THEN 1 ELSE 0 END)"
        case .stream: "exchange.client_stream"
        case .httpVersion: "exchange.http_version"
        case .messageCount: FilterNumberColumn.messages
        case .webSocketMessageCount:
            "(CASE WHEN \(PostgresDialect.spokenProtocol) = 'ws' "
                + "THEN coalesce(exchange.message_count, 0) END)"
        case .grpcStatus: "exchange.grpc_status"
        }
    }

    /// The same count as in an `ExchangeRow`.
    private static let messages: String = {
        let names = ExchangeProtocol.allCases.filter(\.hasMessages).map { "'\($0.rawValue)'" }
        return "(CASE WHEN \(PostgresDialect.spokenProtocol) IN "
            + "(\(names.joined(separator: ", "))) THEN coalesce(exchange.message_count, 0) "
            + "ELSE exchange.message_count END)"
    }()
}
