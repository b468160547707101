/// The facts about an exchange that only HTTP/2 has.
public struct HTTP2Facts: Sendable, Hashable {
    /// A stream that was reset (RFC 9113 §5.4.2).
    public struct Reset: Sendable, Hashable, Codable {
        /// The side of the proxy that the stream is on.
        public var side: ConnectionRecord.Side
        /// Whether the proxy reset it rather than the peer.
        public var isOurs: Bool
        public var code: HTTP2ErrorCode

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

    public init() {}

    public mutating func merge(_ later: HTTP2Facts) {
        clientStream = later.clientStream ?? clientStream
        serverStream = later.serverStream ?? serverStream
        serverVersion = later.serverVersion ?? serverVersion
        reset = reset ?? later.reset
    }
}

/// What is known about an HTTP/2 connection, apart from its streams.
public struct HTTP2ConnectionFacts: Sendable, Hashable {
    /// A setting as it was announced (RFC 9113 §6.5.1).
    public struct Setting: Sendable, Hashable {
        public var number: UInt16
        public var value: UInt32

        public init(number: UInt16, value: UInt32) {
            self.number = number
            self.value = value
        }

        private static let concurrentStreamCountMax: UInt16 = 3

        /// Whether it limits the number of concurrent streams (RFC 9113 §6.5.2).
        public var isConcurrentStreamCountMax: Bool { number == Self.concurrentStreamCountMax }

        /// The name that an RFC gives it, without `SETTINGS_`; otherwise its identifier.
        public var name: String { Setting.names[number] ?? String(number) }

        private static let names: [UInt16: String] = [
            1: "HEADER_TABLE_SIZE", 2: "ENABLE_PUSH",
            concurrentStreamCountMax: "MAX_CONCURRENT_STREAMS",
            4: "INITIAL_WINDOW_SIZE", 5: "MAX_FRAME_SIZE", 6: "MAX_HEADER_LIST_SIZE",
            8: "ENABLE_CONNECT_PROTOCOL", 9: "NO_RFC7540_PRIORITIES",
        ]
    }

    /// The settings that the proxy announced, in order.
    public var ourSettings: [Setting]
    /// The settings that the peer announced, in order, including later ones.
    public var peerSettings: [Setting]
    /// The first frames that belong to no stream, as written by `FrameTimeline`.
    public var frames: [UInt8]

    public init(ourSettings: [Setting] = [], peerSettings: [Setting] = [], frames: [UInt8] = []) {
        self.ourSettings = ourSettings
        self.peerSettings = peerSettings
        self.frames = frames
    }

    /// Merges later facts: settings replace the earlier ones, frames are appended.
    public mutating func append(_ news: HTTP2ConnectionFacts) {
        ourSettings = news.ourSettings
        peerSettings = news.peerSettings
        frames += news.frames
    }
}
