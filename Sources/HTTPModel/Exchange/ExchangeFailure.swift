/// Why an exchange failed: the origin, the kind, and a message for the user.
///
/// The message never contains header values or bodies.
public struct ExchangeFailure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    public enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
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
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case malformedRequest
        case malformedResponse
        /// A head, a line or the number of fields exceeded its limit.
        case limitExceeded
        case nameResolution
        case connectionRefused
        /// No connection could be made, for another reason.
        case connectFailed
        case timedOut
        /// The peer closed or reset the connection before the message was complete.
        case closedEarly
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
        case shutdown
    }

    public let origin: Origin
    public let kind: Kind
    /// A one-line message for the user, without secrets.
    public let message: String

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

/// Errors in what a server sent; stored together with the response that the client got.
public struct ResponseFault: Sendable, Hashable {
    /// A response, or the rest of one, that was not forwarded.
    public struct Refusal: Sendable, Hashable {
        /// The maximum number of bytes that are stored.
        public static let byteCountMax = 64 << 10

        /// Bytes from the server: the beginning of a head, or the bytes around the fault in a body;
        /// at most `byteCountMax`.
        public var bytes: [UInt8]
        /// Why they were not forwarded, as one line for the user.
        public var reason: String

        /// Creates a refusal; stores the first `byteCountMax` bytes.
        public init(bytes: [UInt8], reason: String) {
            self.bytes =
                bytes.count > Refusal.byteCountMax ? Array(bytes[..<Refusal.byteCountMax]) : bytes
            self.reason = reason
        }
    }

    /// What was not forwarded; nil if everything was.
    public var refusal: Refusal?
    /// The repairs of what was forwarded, one line each.
    public var repairs: [String]

    public init(refusal: Refusal? = nil, repairs: [String] = []) {
        self.refusal = refusal
        self.repairs = repairs
    }

    /// Merges later information about the same response, which repeats earlier repairs.
    public mutating func merge(_ later: ResponseFault) {
        refusal = later.refusal ?? refusal
        if !later.repairs.isEmpty { repairs = later.repairs }
    }
}
