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
        var row = ExchangeRow(id: ExchangeID(rawValue: id), startedAtNs: 1_000 &+ id, state: state)
        row.method = method
        row.scheme = scheme
        row.host = host
        row.port = port
        row.path = path
        row.query = query
        row.status = status
        row.durationNs = durationNs
        row.responseBodyByteCount = byteCount
        row.responseKeptByteCount = byteCount
        return row
    }
}
