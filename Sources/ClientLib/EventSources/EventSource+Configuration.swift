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
    }
}
