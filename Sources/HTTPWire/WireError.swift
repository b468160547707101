/// Why octets are no acceptable HTTP/1 message. It never holds octets from the wire.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which rule was broken.
    public let kind: Kind
    /// The status to answer the client with: a 4xx or 5xx for its own fault, 502 for a server's.
    public let suggestedStatus: Int

    /// A broken rule in a message of a kind.
    init(_ kind: Kind, in role: MessageRole) {
        self.kind = kind
        suggestedStatus = role == .request ? kind.requestStatus : 502
    }

    /// One line for a person.
    public var message: String { kind.message }
    /// The message.
    public var description: String { kind.message }
}

/// Which side of an exchange a message is.
enum MessageRole: Sendable {
    case request
    case response
}
