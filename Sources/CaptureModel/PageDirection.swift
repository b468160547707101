public import ProxydHTTPModel

/// Which exchanges a page contains, and in which order.
public enum PageDirection: Sendable, Hashable {
    /// The newest exchanges, newest first.
    case newest
    /// The oldest exchanges, oldest first.
    case oldest
    /// Exchanges older than this number, newest first.
    case before(ExchangeID)
    /// Exchanges newer than this number, oldest first.
    case after(ExchangeID)

    /// Whether numbers increase from row to row.
    package var isAscending: Bool {
        switch self {
        case .oldest, .after: true
        case .newest, .before: false
        }
    }
}
