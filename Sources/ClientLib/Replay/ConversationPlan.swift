/// How a recorded WebSocket is sent again.
public struct ConversationPlan: Sendable {
    /// When each message is sent.
    public enum Pacing: String, Sendable, Hashable, CaseIterable {
        /// As soon as as many messages came from the server as stood before it in the recording.
        case answers
        /// As long after the opening as it was in the recording, whatever the server says.
        case recorded
    }

    /// When each message is sent.
    public var pacing = Pacing.answers
    /// How long the server is waited for that sends fewer messages than it did; then what follows
    /// is sent all the same. It is waited for once.
    public var answerTimeout: Duration = .seconds(10)
    /// How long it lasts at most; then it is closed. Nil for as long as it takes.
    public var duration: Duration?
    /// Which version of HTTP opens it.
    public var version = ReplayVersion.recorded
    /// What is changed in the request that opens it.
    public var edits: [ReplayEdit] = []
    /// Whether a message of which only the beginning was kept is sent with that; else the replay is
    /// refused.
    public var sendsTruncatedMessages = false
    /// What is waited with; tests bring their own.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Each message when its answers came.
    public init() {}
}
