public import ProxydHTTPModel

/// Why an HTTP/2 connection cannot continue (RFC 9113 §5.4.1). It never contains received bytes.
public struct HTTP2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error code sent to the peer in GOAWAY.
    public let code: HTTP2ErrorCode
    /// A one-line message for the user.
    public let message: String

    init(_ code: HTTP2ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
