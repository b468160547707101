public import ProxydHTTPModel
public import ProxydHTTPWire

/// A request ready for the wire: where it goes and what its head says.
public struct OutgoingRequest: Sendable {
    /// The server, and how to secure the way to it.
    public let target: ConnectTarget
    /// The head's octets as they will be sent, the empty line included.
    public let head: [UInt8]
    /// The method; the framing of the response depends on it (RFC 9112 §6.3).
    public let method: HTTPMethod
    /// How the body is framed on the wire. The head's fields say the same.
    public let body: BodyLength

    /// A request. The caller answers for `head` and `body` agreeing.
    public init(
        target: ConnectTarget, head: [UInt8], method: HTTPMethod,
        body: BodyLength
    ) {
        self.target = target
        self.head = head
        self.method = method
        self.body = body
    }

    /// Whether it may be sent a second time when a kept-alive connection turns out to be dead
    /// before an octet of the response came (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    var mayBeRepeated: Bool {
        method.isIdempotent && (body == .none || body == .exactly(0))
    }
}
