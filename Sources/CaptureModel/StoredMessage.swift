/// One of the two HTTP messages of an exchange.
public enum StoredMessage: Sendable, Hashable, CaseIterable {
    /// The request.
    case request
    /// The response.
    case response
}
