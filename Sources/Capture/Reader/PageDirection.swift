public import HTTPModel

/// From where to where a page of exchanges is read.
public enum PageDirection: Sendable, Hashable {
    /// From the newest backwards, newest first.
    case newest
    /// What is older than this number, newest first.
    case before(ExchangeID)
    /// What is newer than this number, oldest first.
    case after(ExchangeID)

    /// Everything from the beginning, oldest first.
    public static let oldest = PageDirection.after(ExchangeID(rawValue: .min))

    /// Whether numbers grow from row to row.
    var isAscending: Bool {
        if case .after = self { return true }
        return false
    }
}
