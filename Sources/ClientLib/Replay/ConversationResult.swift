public import ProxydHTTPModel

/// What came of a WebSocket that was sent again, beside what came of the original.
public struct ConversationResult: Sendable {
    /// Messages that carry data, each way, and how it was closed.
    public struct Outcome: Sendable, Hashable {
        /// Messages that were sent.
        public var sentCount = 0
        /// Messages that came.
        public var receivedCount = 0
        /// The code that the server closed it with; nil where it did not.
        public var closeCode: Int?

        /// Nothing yet.
        public init() {}
    }

    /// The exchange that was repeated.
    public let originalID: ExchangeID
    /// The number of the new exchange; nil where nothing was sent or the session records nothing.
    public let id: ExchangeID?
    /// The status of the opening; nil where no response came.
    public let status: Int?
    /// What came of the original.
    public let original: Outcome
    /// What came of the replay.
    public let replay: Outcome
    /// Why it failed; nil where it was closed normally, or by the server with the code of before.
    public let error: ClientError?

    /// Whether the replay went otherwise than the original: other counts, or a failure. What the
    /// messages say is not compared.
    public var isMismatch: Bool {
        error != nil || replay.sentCount != original.sentCount
            || replay.receivedCount != original.receivedCount
    }
}
