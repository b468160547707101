internal import ProxydHTTPModel
public import ProxydHTTPWire

/// A request ready to be sent: where it goes and what it says.
///
/// One whose message is an extended CONNECT (`RequestHead.extendedConnect`) asks the server for
/// another protocol. It is sent as it is over HTTP/2, and for `websocket` as an Upgrade over
/// HTTP/1.1, whose key and proof are the transport's affair. Where the server agrees, with 2xx or
/// 101, its exchange's delegate hears `didSwitchTo`; any other answer is a response.
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

    /// Whether it asks for another protocol.
    var isExtendedConnect: Bool { message.head.isExtendedConnect }

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
