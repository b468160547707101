/// The columns that rows can be sorted by.
public enum SortColumn: String, Sendable, Hashable, CaseIterable {
    /// When the exchange started, which is the order of the numbers.
    case time
    /// The method.
    case method
    /// The host.
    case host
    /// The path.
    case path
    /// The status code that the client received.
    case status
    /// The response's Content-Type.
    case type
    /// The size of the response body.
    case size
    /// The duration of the exchange.
    case duration
    /// The program that sent the request.
    case process
}
