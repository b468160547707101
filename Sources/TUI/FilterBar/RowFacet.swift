internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// A property of a row that one key makes the filter ask for.
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

    /// The test that rows like this one pass; of `otherHosts`, that they fail.
    func term(_ row: ExchangeRow) -> String {
        switch self {
        case .host: RowFacet.host(row.host)
        case .otherHosts: RowFacet.otherHosts(than: row.host)
        case .path: row.path.map { "path=" + FilterText.quoted($0) } ?? "not path~."
        case .status: RowFacet.status(row)
        }
    }

    /// Passes what was sent to a host; what was sent to none where that is nil.
    static func host(_ host: String?) -> String {
        host.map { "host=" + FilterText.quoted($0) } ?? "not host~."
    }

    /// Passes what was sent to any other host.
    static func otherHosts(than host: String?) -> String {
        host.map { "host!=" + FilterText.quoted($0) } ?? "host~."
    }

    /// What the column of the status shows, which is the state where no status came.
    private static func status(_ row: ExchangeRow) -> String {
        if let status = row.status { return "status=\(status)" }
        return "not status>=0 state=\(row.state.rawValue)"
    }
}
