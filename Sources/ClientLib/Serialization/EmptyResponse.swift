/// A type that has a value for an empty response.
public protocol EmptyResponse: Sendable {
    /// The value for an empty response.
    static func emptyValue() -> Self
}

/// The value of a response that is always empty.
public struct Empty: EmptyResponse, Codable, Hashable {
    /// The only value.
    public static let value = Empty()
    /// Creates the only value.
    public init() {}
    /// The only value.
    public static func emptyValue() -> Empty { value }
}
