/// What rows can be sorted by.
public enum SortColumn: String, Sendable, Hashable, CaseIterable {
    /// When the exchange began: the order of the numbers.
    case time
    /// The method.
    case method
    /// The host.
    case host
    /// The path.
    case path
    /// What the client got.
    case status
    /// The response's Content-Type.
    case type
    /// Response body octets.
    case size
    /// How long it took.
    case duration
    /// The program that sent it.
    case process
}
