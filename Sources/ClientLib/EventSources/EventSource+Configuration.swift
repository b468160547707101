extension EventSource {
    /// The settings of an event source.
    public struct Configuration: Sendable {
        /// The delay before reconnecting, unless the server sets another.
        public var reconnectionTime: Duration = .seconds(3)
        /// The longest delay: each failed connection doubles it. A longer one that the server
        /// requests is used nevertheless.
        public var maximumReconnectionTime: Duration = .seconds(60)
        /// How many connections in a row may fail before the sequence fails; nil for no limit. A
        /// connection that delivers an event resets the count.
        public var maximumFailureCount: Int?
        /// The largest event in bytes, including comments; a larger one fails with
        /// `.messageTooLarge`.
        public var maximumEventSize = 16 << 20
        /// The longest time without data before reconnecting.
        public var idleTimeout: Duration = .seconds(300)
        /// The value of `Last-Event-ID` in the first request, to continue from there; empty for
        /// none.
        public var lastEventID = ""
        /// The clock that measures delays; tests use their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the default settings.
        public init() {}

        /// The delay after this many failures in a row; 0 after a connection that ended normally. A
        /// server may request another delay of up to a day.
        func pause(wishedMs: Int64?, failureCount: Int) -> Duration {
            let day = Duration.seconds(86_400)
            let wished = wishedMs.map { Swift.min(.milliseconds($0), day) }
            let first = wished ?? reconnectionTime
            var pause = first
            for _ in 1..<Swift.max(1, Swift.min(failureCount, 32)) {
                pause = Swift.min(pause * 2, day)
            }
            return Swift.max(first, Swift.min(pause, maximumReconnectionTime))
        }
    }
}
