public import ProxydHTTPModel

/// Why a connection of HTTP/2 cannot go on (RFC 9113 §5.4.1). It never holds bytes from the wire.
public struct HTTP2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the peer is told in GOAWAY.
    public let code: HTTP2ErrorCode
    /// One line for a person.
    public let message: String

    init(_ code: HTTP2ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
