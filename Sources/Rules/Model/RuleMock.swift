public import ProxydFilter

/// Which captures answer requests, and how.
public struct RuleMock: Sendable {
    /// What becomes of a request that no capture answers.
    public enum Unmatched: Sendable, Hashable {
        /// It gets this status, from 200 to 599, and what is said of the nearest capture.
        case status(Int)
        /// Its connection is closed without an answer.
        case close
        /// It goes on to its server.
        case forward
    }

    /// How fast a capture is served.
    public enum Pace: String, Sendable, Hashable, CaseIterable {
        /// As it came when it was recorded: when it begins, and how long it takes.
        case recorded
        /// At once.
        case atOnce = "none"
    }

    /// Which captures.
    public let filter: Filter
    /// What makes a request the same as a captured one.
    public let matching: MockMatching
    /// Which of several captures of one request is served.
    public let order: MockOrder
    /// What becomes of a request that none answers.
    public let unmatched: Unmatched
    /// Whether dates are moved, so that the response is as fresh as it was.
    public let isRefreshed: Bool
    /// How fast it is served.
    public let pace: Pace
}
