internal import ProxydCaptureModel
internal import ProxydStoreCoding

/// Selects what `ExchangeRow.init(_:)` decodes. The table `exchange` must not be
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
          exchange.user, c.listener, c.proxy_protocol_peer, s.upstream,
          exchange.received_status, exchange.held_ns
        FROM exchange
          LEFT JOIN connection c ON c.id = exchange.client_connection_id
          LEFT JOIN connection s ON s.id = exchange.server_connection_id
          LEFT JOIN annotation a ON a.exchange_id = exchange.id
        """
}
