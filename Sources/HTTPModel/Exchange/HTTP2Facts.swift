/// What HTTP/2 adds to what is known of an exchange.
public struct HTTP2Facts: Sendable, Hashable {
    /// A stream that was ended before its time (RFC 9113 §5.4.2).
    public struct Reset: Sendable, Hashable {
        /// On whose connection.
        public var side: ConnectionRecord.Side
        /// Whether we reset it, and not the peer.
        public var isOurs: Bool
        /// Why.
        public var code: HTTP2ErrorCode

        /// A reset.
        public init(side: ConnectionRecord.Side, isOurs: Bool, code: HTTP2ErrorCode) {
            self.side = side
            self.isOurs = isOurs
            self.code = code
        }
    }

    /// The stream of the client's connection; nil where that speaks HTTP/1, or no client has one.
    public var clientStream: StreamID?
    /// The stream of the server's connection; nil where that speaks HTTP/1, or there is none.
    public var serverStream: StreamID?
    /// What the server's connection speaks; nil where there is none.
    public var serverVersion: HTTPVersion?
    /// The reset that ended the exchange: the first of them.
    public var reset: Reset?

    /// Nothing yet.
    public init() {}

    /// Takes over later news.
    public mutating func merge(_ later: HTTP2Facts) {
        clientStream = later.clientStream ?? clientStream
        serverStream = later.serverStream ?? serverStream
        serverVersion = later.serverVersion ?? serverVersion
        reset = reset ?? later.reset
    }
}
