/// The facts about an exchange that only HTTP/2 has.
public struct HTTP2Facts: Sendable, Hashable {
    /// A stream that was reset (RFC 9113 §5.4.2).
    public struct Reset: Sendable, Hashable {
        /// The side of the proxy that the stream is on.
        public var side: ConnectionRecord.Side
        /// Whether the proxy reset it rather than the peer.
        public var isOurs: Bool
        /// The reason for the reset.
        public var code: HTTP2ErrorCode

        /// Creates a reset.
        public init(side: ConnectionRecord.Side, isOurs: Bool, code: HTTP2ErrorCode) {
            self.side = side
            self.isOurs = isOurs
            self.code = code
        }
    }

    /// The stream on the client's connection; nil if that uses HTTP/1, or there is no client.
    public var clientStream: StreamID?
    /// The stream on the server's connection; nil if that uses HTTP/1, or there is none.
    public var serverStream: StreamID?
    /// The HTTP version of the server's connection; nil if there is none.
    public var serverVersion: HTTPVersion?
    /// The first reset that ended the exchange; nil if there was none.
    public var reset: Reset?

    /// Creates empty facts.
    public init() {}

    /// Merges later facts.
    public mutating func merge(_ later: HTTP2Facts) {
        clientStream = later.clientStream ?? clientStream
        serverStream = later.serverStream ?? serverStream
        serverVersion = later.serverVersion ?? serverVersion
        reset = reset ?? later.reset
    }
}
