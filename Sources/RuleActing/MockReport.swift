/// Statistics of a mock since its captures were read.
public struct MockReport: Sendable, Hashable {
    /// The rule's name.
    public let rule: String
    /// Whether all captures have been read.
    public let isRead: Bool
    /// The number of captures that can be served.
    public let captureCount: Int
    /// The number of requests that got a capture.
    public let servedCount: Int
    /// The number of requests that got none.
    public let unmatchedCount: Int
    /// The numbers of captures that no request asked for, in their order.
    public let neverServed: [Int64]
    /// Why captures are not served, or there are none, as text.
    public let problems: [String]
}
