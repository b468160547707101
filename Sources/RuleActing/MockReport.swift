/// What the captures of a mock have done since they were read.
public struct MockReport: Sendable, Hashable {
    /// The rule's name.
    public let rule: String
    /// Whether all captures were looked at.
    public let isRead: Bool
    /// How many captures there are to serve.
    public let captureCount: Int
    /// How many requests got one.
    public let servedCount: Int
    /// How many requests got none.
    public let unmatchedCount: Int
    /// The numbers of those that no request asked for, in their order.
    public let neverServed: [Int64]
    /// Why captures are not served, or are none, in words.
    public let problems: [String]
}
