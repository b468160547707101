extension EventSource {
    /// How an event source behaves.
    public struct Configuration: Sendable {
        /// The pause before the server is asked again, until it wishes for another.
        public var reconnectionTime: Duration = .seconds(3)
        /// The longest pause: each connection that fails doubles it. A longer one that the server
        /// wishes for is kept to.
        public var maximumReconnectionTime: Duration = .seconds(60)
        /// How many connections in a row may fail before the sequence fails; nil for any number.
        /// One that has given an event starts the count again.
        public var maximumFailureCount: Int?
        /// The largest event, in bytes, comments included; a larger one fails with
        /// `.messageTooLarge`.
        public var maximumEventSize = 16 << 20
        /// The longest silence; then the server is asked again.
        public var idleTimeout: Duration = .seconds(300)
        /// Where to go on from: what `Last-Event-ID` says in the first request; empty for nothing.
        public var lastEventID = ""
        /// What pauses are measured with; tests bring their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The defaults.
        public init() {}

        /// The pause after this many failures in a row; 0 after a connection that ended normally.
        /// A server may ask for another pause, of at most a day.
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
