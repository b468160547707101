internal import ProxydHTTPModel

/// A connection to a server that uses one version of HTTP and has room for a number of exchanges at
/// a time. Confined to its loop.
protocol ServerConnection: AnyObject {
    /// How many exchanges it can take now, in addition to the running ones.
    var room: Int { get }
    /// Whether the server reports which requests it has not processed (RFC 9113 §6.8). If it does
    /// not, a request that must not be repeated uses a connection that its client used last, or a
    /// new one.
    var tellsWhatItTook: Bool { get }
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
