internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// A property of a row that can be added to the filter with one key.
enum RowFacet: Sendable, Hashable {
    case host, otherHosts, path, status

    init?(_ action: ActionID) {
        switch action {
        case .onlyHost: self = .host
        case .notHost: self = .otherHosts
        case .onlyPath: self = .path
        case .onlyStatus: self = .status
        default: return nil
        }
    }

    /// The term that matches rows like this one; for `otherHosts`, the term that excludes them.
    func term(_ row: ExchangeRow) -> String {
        switch self {
        case .host: RowFacet.host(row.host)
        case .otherHosts: RowFacet.otherHosts(than: row.host)
        case .path: row.path.map { "path=" + FilterText.quoted($0) } ?? "not path~."
        case .status: RowFacet.status(row)
        }
    }

    /// Matches exchanges with a host; if nil, those without one.
    static func host(_ host: String?) -> String {
        host.map { "host=" + FilterText.quoted($0) } ?? "not host~."
    }

    /// Matches exchanges with any other host.
    static func otherHosts(than host: String?) -> String {
        host.map { "host!=" + FilterText.quoted($0) } ?? "host~."
    }

    /// The value in the status column, which is the state if no status was received.
    private static func status(_ row: ExchangeRow) -> String {
        if let status = row.status { return "status=\(status)" }
        return "not status>=0 state=\(row.state.rawValue)"
    }
}
