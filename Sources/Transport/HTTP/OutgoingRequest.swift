internal import ProxydHTTPModel
public import ProxydHTTPWire

/// A request ready to be sent: where it goes and what it says.
public struct OutgoingRequest: Sendable {
    /// The server, and how to secure the way to it.
    public let target: ConnectTarget
    /// What is said there; written when a connection is there for it.
    public let message: ForwardedRequest

    /// A request to a server.
    public init(target: consuming ConnectTarget, message: consuming ForwardedRequest) {
        self.target = target
        self.message = message
    }

    /// The method; the framing of the response depends on it (RFC 9112 §6.3).
    var method: HTTPMethod { message.head.method }
    /// How the body is framed on the wire.
    var body: BodyLength { message.body }

    /// Whether it may be sent a second time when a kept-alive connection turns out to be dead
    /// before an octet of the response came (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    var mayBeRepeated: Bool {
        method.isIdempotent && (body == .none || body == .exactly(0))
    }
}
