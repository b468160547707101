internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The server's side of one exchange, whatever the HTTP version: an HTTP/1 connection, which
/// carries one exchange at a time, or an HTTP/2 stream. It passes what the server sends to its
/// exchange. Confined to its loop.
protocol ServerStream: AnyObject {
    /// The HTTP/2 stream identifier; nil with HTTP/1, which has none.
    var streamID: StreamID? { get }
    /// The connection it belongs to.
    var connection: PooledConnection { get }
    /// Whether too many bytes wait to be sent; `ClientExchange.drained` is called later.
    var isCongested: Bool { get }
    /// Whether the connection ends with the current response.
    var isLast: Bool { get }
    /// The received part of a response head or trailers that is incomplete and was not passed on.
    var unfinishedBytes: [UInt8] { get }

    /// Sends the head; returns it if it differs from the one that arrived.
    func send(head request: borrowing ForwardedRequest) -> SentHead?
    /// Sends a piece of the body.
    func send(body bytes: Span<UInt8>)
    /// Ends the request.
    func endRequest(trailers: HeaderFields?)
    /// Stops reading from the server until `resumeReceiving` is called.
    func pauseReceiving()
    /// Resumes reading from the server.
    func resumeReceiving()
    /// Forwards the priority of the response (RFC 9218 §7.1) if the HTTP version supports that.
    func send(priority value: [UInt8])
    /// The exchange was cancelled; the server is told the code if the HTTP version supports that.
    /// The stream makes no more calls to the exchange.
    func abandon(_ code: HTTP2ErrorCode)
}

/// The head of a forwarded request that differs from the one that arrived.
struct SentHead {
    /// The serialized head.
    let bytes: [UInt8]
    /// The differences.
    let notes: ForwardingNotes
}
