import ProxydCaptureModel
import ProxydHTTPModel

/// Rows as a store returns them.
enum Rows {
    static func row(
        _ id: Int64 = 1, method: String? = "GET", scheme: String? = "http",
        host: String? = "a.test", port: Int? = 80, path: String? = "/", query: String? = nil,
        status: Int? = 200, durationNs: Int64? = 1, byteCount: Int64 = 0,
        state: ExchangeState = .complete
    ) -> ExchangeRow {
        ExchangeRow(
            id: ExchangeID(rawValue: id), method: method, scheme: scheme, host: host, port: port,
            path: path, query: query, status: status, startedAtNs: 1_000 &+ id,
            durationNs: durationNs, requestBodyByteCount: 0, requestKeptByteCount: 0,
            responseBodyByteCount: byteCount, responseKeptByteCount: byteCount, state: state,
            tags: [], isPinned: false)
    }
}
