/// Why an exchange failed: whose fault, what kind, in words for a person.
///
/// The message never holds header values or bodies.
public struct ExchangeFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whose fault it is.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The client broke the rules or went away.
        case client
        /// The server, its name or the way to it.
        case upstream
        /// We ourselves: limits, resources, configuration.
        case proxy
        /// None: a rule ended it.
        case rule
    }

    /// What kind of failure it is; stable names, stored in the database.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The client sent what is no valid HTTP.
        case malformedRequest
        /// The server sent what is no valid HTTP.
        case malformedResponse
        /// A head, line or field count went over its limit.
        case limitExceeded
        /// The name could not be resolved.
        case nameResolution
        /// The connection was refused.
        case connectionRefused
        /// No connection could be made, for another reason.
        case connectFailed
        /// No answer in time.
        case timedOut
        /// The peer closed or reset the connection before the message was complete.
        case closedEarly
        /// The TLS handshake failed.
        case tlsHandshake
        /// The certificate did not stand verification.
        case certificate
        /// The request would come back to this proxy.
        case loop
        /// Configuration forbids it.
        case refused
        /// A rule blocked it; the message is the rule's name.
        case blocked
        /// Resources ran out.
        case overloaded
        /// The proxy was stopped.
        case shutdown
    }

    /// Whose fault it is.
    public let origin: Origin
    /// What kind it is.
    public let kind: Kind
    /// One line for a person, without secrets.
    public let message: String

    /// A failure.
    public init(origin: Origin, kind: Kind, message: String) {
        self.origin = origin
        self.kind = kind
        self.message = message
    }

    /// Whether the same request may succeed when sent again.
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
