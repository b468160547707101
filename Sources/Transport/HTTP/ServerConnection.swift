internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A connection to a server that uses one version of HTTP and has room for a number of exchanges at
/// a time. Confined to its loop.
protocol ServerConnection: AnyObject {
    /// How many exchanges it can take now, in addition to the running ones.
    var room: Int { get }
    /// Whether the server reports which requests it has not processed (RFC 9113 §6.8). If it does
    /// not, a request that must not be repeated uses a connection that its client used last, or a
    /// new one.
    var isMultiplexed: Bool { get }
    /// Its HTTP/2 facts; nil if it uses HTTP/1, or none have arrived yet.
    var http2Facts: HTTP2ConnectionFacts? { get }
    /// Whether the server has sent no unsolicited bytes; checks without waiting.
    func isSilent() -> Bool
    /// Takes the bytes that the server sent before this object owned the connection.
    func receive(early bytes: [UInt8])
    /// Starts an exchange: attaches it to a stream.
    func carry(_ exchange: ClientExchange)
    /// Takes no more exchanges.
    func leaveRoom()
    /// Closes it cleanly; it must be idle.
    func close()
    /// Closes it immediately.
    func abort()
}

/// The server's side of one exchange, whatever the HTTP version: an HTTP/1 connection, which
/// carries one exchange at a time, or an HTTP/2 stream. It passes what the server sends to its
/// exchange. Confined to its loop.
protocol ServerStream: AnyObject {
    /// The HTTP/2 stream identifier; nil with HTTP/1, which has none.
    var streamID: StreamID? { get }
    var connection: PooledConnection { get }
    /// Whether too many bytes wait to be sent; `ClientExchange.drained` is called later.
    var isCongested: Bool { get }
    /// Whether the connection ends with the current response.
    var isLast: Bool { get }
    /// The received part of a response head or trailers that is incomplete and was not passed on.
    var unfinishedBytes: [UInt8] { get }

    /// Sends the head; returns it if it differs from the one that arrived.
    func send(head request: borrowing ForwardedRequest) -> SentHead?
    func send(body bytes: Span<UInt8>)
    func endRequest(trailers: HeaderFields?)
    /// Stops reading from the server until `resumeReceiving` is called.
    func pauseReceiving()
    func resumeReceiving()
    /// Forwards the priority of the response (RFC 9218 §7.1) if the HTTP version supports that.
    func send(priority value: [UInt8])
    /// The exchange was cancelled; the server is told the code if the HTTP version supports that.
    /// The stream makes no more calls to the exchange.
    func abandon(_ code: HTTP2ErrorCode)
}

/// The head of a forwarded request that differs from the one that arrived.
struct SentHead {
    let bytes: [UInt8]
    let notes: ForwardingNotes
}

extension DuplexStream {
    /// Whether the peer has not ended and no undelivered bytes have arrived. Any such bytes are
    /// dropped: a stream that is not silent cannot be used.
    func isSilent() -> Bool {
        var hasSpoken = false
        let isOpen = takeArrived { _ in hasSpoken = true }
        return isOpen && !hasSpoken
    }
}
