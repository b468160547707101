public import ProxydHTTPModel

/// From where to where a page of exchanges is read.
public enum PageDirection: Sendable, Hashable {
    /// From the newest backwards, newest first.
    case newest
    /// Everything from the beginning, oldest first.
    case oldest
    /// What is older than this number, newest first.
    case before(ExchangeID)
    /// What is newer than this number, oldest first.
    case after(ExchangeID)

    /// Whether numbers grow from row to row.
    package var isAscending: Bool {
        switch self {
        case .oldest, .after: true
        case .newest, .before: false
        }
    }
}
