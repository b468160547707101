internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The server's side of one exchange, whatever version is spoken: a connection of HTTP/1, which
/// carries one at a time, or a stream of HTTP/2. It tells its exchange what the server sends.
/// Confined to its loop.
protocol ServerStream: AnyObject {
    /// Its number on the connection; nil with HTTP/1, which numbers none.
    var streamID: StreamID? { get }
    /// The connection it belongs to.
    var connection: PooledConnection { get }
    /// Whether more waits to be sent than should; `ClientExchange.drained` follows.
    var isCongested: Bool { get }
    /// Whether the connection ends with the present response.
    var isLast: Bool { get }
    /// What came of a response and was not passed on, as it is not complete.
    var unfinishedOctets: [UInt8] { get }

    /// Sends the head; returns what was sent where that is not just what came.
    func send(head request: borrowing ForwardedRequest) -> SentHead?
    /// Sends a piece of the body.
    func send(body octets: Span<UInt8>)
    /// Ends the request.
    func endRequest(trailers: HeaderFields?)
    /// Takes nothing from the server until `resumeReceiving`.
    func pauseReceiving()
    /// Takes what the server sends again.
    func resumeReceiving()
    /// Passes on how urgent the response is (RFC 9218 §7.1), if the server's version knows of such.
    func send(priority value: [UInt8])
    /// The exchange was given up, for a reason that the server is told if its version knows of
    /// such; it is told of nothing more.
    func abandon(_ code: HTTP2ErrorCode)
}

/// The head of a forwarded request that is not just what came.
struct SentHead {
    /// Its bytes.
    let octets: [UInt8]
    /// How it differs.
    let notes: ForwardingNotes
}
