/// What is known of a connection that speaks HTTP/2, beside its streams.
public struct HTTP2ConnectionFacts: Sendable, Hashable {
    /// A setting as it was announced (RFC 9113 §6.5.1).
    public struct Setting: Sendable, Hashable {
        /// Its number.
        public var number: UInt16
        /// Its value.
        public var value: UInt32

        /// A setting.
        public init(number: UInt16, value: UInt32) {
            self.number = number
            self.value = value
        }

        private static let concurrentStreamCountMax: UInt16 = 3

        /// Whether it says how many streams may be open at a time (RFC 9113 §6.5.2).
        public var isConcurrentStreamCountMax: Bool { number == Self.concurrentStreamCountMax }

        /// The name that an RFC gives it, without `SETTINGS_`; else its number.
        public var name: String { Setting.names[number] ?? String(number) }

        private static let names: [UInt16: String] = [
            1: "HEADER_TABLE_SIZE", 2: "ENABLE_PUSH",
            concurrentStreamCountMax: "MAX_CONCURRENT_STREAMS",
            4: "INITIAL_WINDOW_SIZE", 5: "MAX_FRAME_SIZE", 6: "MAX_HEADER_LIST_SIZE",
            8: "ENABLE_CONNECT_PROTOCOL", 9: "NO_RFC7540_PRIORITIES",
        ]
    }

    /// What we announced, in that order.
    public var ourSettings: [Setting]
    /// What the peer announced, in the order in which it did, later ones included.
    public var peerSettings: [Setting]
    /// Frames that belong to no stream, as `FrameTimeline` writes them; the first ones.
    public var frames: [UInt8]

    /// Facts; none by default.
    public init(
        ourSettings: [Setting] = [], peerSettings: [Setting] = [], frames: [UInt8] = []
    ) {
        self.ourSettings = ourSettings
        self.peerSettings = peerSettings
        self.frames = frames
    }

    /// Takes over later news: settings replace the earlier ones, frames follow them.
    public mutating func append(_ news: HTTP2ConnectionFacts) {
        ourSettings = news.ourSettings
        peerSettings = news.peerSettings
        frames += news.frames
    }
}
