internal import ProxydHTTPModel

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
