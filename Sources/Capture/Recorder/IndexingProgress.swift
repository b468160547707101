/// How far the search files are on their way to the newest exchange.
public struct IndexingProgress: Sendable, Hashable {
    /// Exchanges up to this number are in the search files.
    public let searchedThrough: Int64
    /// The newest exchange that belongs into them: the last two thousand are always looked at.
    public let lastID: Int64
    /// Whether calling again would add more.
    public let hasMore: Bool
    /// What went wrong last; nil where nothing did.
    public let problem: String?
}
