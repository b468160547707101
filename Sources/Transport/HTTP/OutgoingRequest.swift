internal import ProxydHTTPModel
public import ProxydHTTPWire

/// A request ready to be sent: its server and its message.
///
/// If the message is an extended CONNECT (`RequestHead.extendedConnect`), it asks the server for
/// another protocol. It is sent as it is over HTTP/2, and for `websocket` as an Upgrade over
/// HTTP/1.1, whose key and proof the transport handles. If the server agrees, with 2xx or 101, the
/// exchange's delegate receives `didSwitchTo`; any other answer is an ordinary response.
public struct OutgoingRequest: Sendable {
    /// The server, and how to secure the connection to it.
    public let target: ConnectTarget
    /// The message, which is serialized once there is a connection for it.
    public let message: ForwardedRequest

    /// Creates a request to a server.
    public init(target: consuming ConnectTarget, message: consuming ForwardedRequest) {
        self.target = target
        self.message = message
    }

    /// Whether it asks for another protocol.
    var isExtendedConnect: Bool { message.head.isExtendedConnect }

    /// The method, on which the framing of the response depends (RFC 9112 §6.3).
    var method: HTTPMethod { message.head.method }
    /// How the body is framed on the wire.
    var body: BodyLength { message.body }

    /// Whether it may be sent a second time if a kept-alive connection turns out to be closed
    /// before a byte of the response arrived (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    var mayBeRepeated: Bool {
        method.isIdempotent && (body == .none || body == .exactly(0))
    }
}
