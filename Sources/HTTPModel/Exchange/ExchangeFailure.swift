/// Why an exchange failed: the origin, the kind, and a message for the user.
///
/// The message never contains header values or bodies.
public struct ExchangeFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The origin of a failure.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The client broke the rules or left.
        case client
        /// The server, its name, or the route to it.
        case upstream
        /// The proxy itself: limits, resources, configuration.
        case proxy
        /// No error: a rule ended the exchange.
        case rule
    }

    /// The kind of a failure; the raw values are stored in the database.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The client sent something that is not valid HTTP.
        case malformedRequest
        /// The server sent something that is not valid HTTP.
        case malformedResponse
        /// A head, a line or the number of fields exceeded its limit.
        case limitExceeded
        /// The name could not be resolved.
        case nameResolution
        /// The connection was refused.
        case connectionRefused
        /// No connection could be made, for another reason.
        case connectFailed
        /// No answer arrived in time.
        case timedOut
        /// The peer closed or reset the connection before the message was complete.
        case closedEarly
        /// The TLS handshake failed.
        case tlsHandshake
        /// The certificate did not pass verification.
        case certificate
        /// The request would loop back to this proxy.
        case loop
        /// The configuration forbids it.
        case refused
        /// A rule blocked it; the message is the rule's name.
        case blocked
        /// Resources ran out.
        case overloaded
        /// The proxy was stopped.
        case shutdown
    }

    /// The origin of the failure.
    public let origin: Origin
    /// The kind of the failure.
    public let kind: Kind
    /// A one-line message for the user, without secrets.
    public let message: String

    /// Creates a failure.
    public init(origin: Origin, kind: Kind, message: String) {
        self.origin = origin
        self.kind = kind
        self.message = message
    }

    /// Whether the same request might succeed when sent again.
    public var isRetryable: Bool {
        switch kind {
        case .nameResolution, .connectionRefused, .connectFailed, .timedOut, .closedEarly,
            .overloaded, .shutdown:
            true
        default: false
        }
    }

    /// `origin kind: message`, as stored in the `error` column.
    public var description: String { "\(origin.rawValue) \(kind.rawValue): \(message)" }
}
