extension WebSocketRequest {
    /// How a WebSocket behaves.
    public struct Configuration: Sendable {
        /// Subprotocols, most wanted first; the server chooses one or none of them
        /// (RFC 6455 §1.9).
        public var protocols: [String]
        /// The largest message that is taken, in bytes, decompressed. For a larger one the
        /// WebSocket is closed with 1009, and fails with `.messageTooLarge`.
        public var maximumMessageSize: Int
        /// How often the server is pinged; nil for never. Where neither an answer nor anything else
        /// has come until the next ping is due, the WebSocket fails with `.pingTimedOut`.
        public var pingInterval: Duration?
        /// Whether permessage-deflate is offered (RFC 7692): the server decides whether messages
        /// are compressed.
        public var offersCompression = true
        /// What is spoken with the server, most wanted first. With HTTP/2 it is
        /// opened by extended CONNECT (RFC 8441), on a connection that other requests use, too; a
        /// server that takes HTTP/2 and no extended CONNECT fails it.
        public var httpProtocols: [HTTPProtocol] = [.http11]
        /// How long the server may take to answer a close; then the connection is closed anyway.
        public var closeTimeout: Duration = .seconds(10)
        /// What the intervals are measured with; tests bring their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Messages of 1 MiB at most and no pings, unless told otherwise.
        public init(
            protocols: [String] = [], maximumMessageSize: Int = 1 << 20,
            pingInterval: Duration? = nil
        ) {
            self.protocols = protocols
            self.maximumMessageSize = maximumMessageSize
            self.pingInterval = pingInterval
        }

        /// The defaults.
        public static var `default`: Configuration { Configuration() }

        /// The defaults with a subprotocol.
        public static func `protocol`(_ name: String) -> Configuration {
            Configuration(protocols: [name])
        }

        /// The defaults with another limit for messages; bytes.
        public static func maximumMessageSize(_ byteCount: Int) -> Configuration {
            Configuration(maximumMessageSize: byteCount)
        }

        /// The defaults with pings.
        public static func pingInterval(_ interval: Duration) -> Configuration {
            Configuration(pingInterval: interval)
        }
    }
}
