internal import ProxydHTTPModel

/// A connection to a server that speaks one version of HTTP, and has room for so many exchanges at
/// a time. Confined to its loop.
protocol ServerConnection: AnyObject {
    /// How many exchanges it can take on now, besides those that it carries.
    var room: Int { get }
    /// Whether the server says which requests it has not acted on (RFC 9113 §6.8). Where it does
    /// not, a request that may not be repeated goes over a connection that its client used last, or
    /// over a new one.
    var tellsWhatItTook: Bool { get }
    /// What is known of it as one of HTTP/2; nil where it is none, or nothing came yet.
    var http2Facts: HTTP2ConnectionFacts? { get }
    /// Looks, without waiting, whether the server has said nothing unasked.
    func isSilent() -> Bool
    /// Takes what the server said before the connection was this one's.
    func receive(early octets: [UInt8])
    /// Takes on an exchange: attaches it to a stream.
    func carry(_ exchange: ClientExchange)
    /// Takes on nothing more.
    func leaveRoom()
    /// Closes it in good order; it carries nothing.
    func close()
    /// Closes it at once.
    func abort()
}
