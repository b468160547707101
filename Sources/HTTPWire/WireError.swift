/// Why bytes are not an acceptable HTTP message. It never contains received bytes.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that was violated.
    public let kind: Kind
    /// The status of the response to the client: 4xx or 5xx if the client is at fault, 502 if a
    /// server is.
    public let suggestedStatus: Int

    /// Creates an error for a rule violated in a request or response.
    init(_ kind: Kind, in role: MessageRole) {
        self.kind = kind
        suggestedStatus = role == .request ? kind.requestStatus : 502
    }

    /// A one-line message for the user.
    public var message: String { kind.message }
    /// The same as `message`.
    public var description: String { kind.message }
}

/// Whether a message is a request or a response.
enum MessageRole: Sendable {
    case request
    case response
}
