extension WebSocketRequest {
    /// The settings of a WebSocket.
    public struct Configuration: Sendable {
        /// Subprotocols in order of preference; the server selects one or none of them (RFC 6455
        /// §1.9).
        public var protocols: [String]
        /// The largest accepted message in bytes after decompression. A larger one closes the
        /// WebSocket with 1009, and it fails with `.messageTooLarge`.
        public var maximumMessageSize: Int
        /// The interval between pings to the server; nil for none. If no data has arrived when the
        /// next ping is due, the WebSocket fails with `.pingTimedOut`.
        public var pingInterval: Duration?
        /// Whether permessage-deflate is offered (RFC 7692): the server decides whether messages
        /// are compressed.
        public var offersCompression = true
        /// The protocols to use with the server, in order of preference. Over HTTP/2 it is opened
        /// with extended CONNECT (RFC 8441), on a connection shared with other requests; it fails
        /// if a server accepts HTTP/2 but not extended CONNECT.
        public var httpProtocols: [HTTPProtocol] = [.http11]
        /// How long the server may take to answer a close frame before the connection is closed
        /// anyway.
        public var closeTimeout: Duration = .seconds(10)
        /// The clock that measures intervals; tests use their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates settings; the defaults are messages of at most 1 MiB and no pings.
        public init(
            protocols: [String] = [], maximumMessageSize: Int = 1 << 20,
            pingInterval: Duration? = nil
        ) {
            self.protocols = protocols
            self.maximumMessageSize = maximumMessageSize
            self.pingInterval = pingInterval
        }

        /// The default settings.
        public static var `default`: Configuration { Configuration() }

        /// The default settings with a subprotocol.
        public static func `protocol`(_ name: String) -> Configuration {
            Configuration(protocols: [name])
        }

        /// The default settings with another limit for messages, in bytes.
        public static func maximumMessageSize(_ byteCount: Int) -> Configuration {
            Configuration(maximumMessageSize: byteCount)
        }

        /// The default settings with pings.
        public static func pingInterval(_ interval: Duration) -> Configuration {
            Configuration(pingInterval: interval)
        }
    }
}
