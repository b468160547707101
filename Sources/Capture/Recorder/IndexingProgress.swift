/// How far the search files have got toward the newest exchange.
public struct IndexingProgress: Sendable, Hashable {
    /// The highest exchange number up to which all exchanges are in the search files.
    public let searchedThrough: Int64
    /// The newest exchange that belongs in them: the last two thousand are always scanned instead.
    public let lastID: Int64
    /// Whether another call would add more.
    public let hasMore: Bool
    /// The most recent error, or nil if there was none.
    public let problem: String?
}
