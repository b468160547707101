public import ProxydFilter

/// Which captures answer requests, and how.
public struct RuleMock: Sendable {
    /// What happens to a request that no capture answers.
    public enum Unmatched: Sendable, Hashable {
        /// The client gets this status, from 200 to 599, and a description of the nearest capture.
        case status(Int)
        /// The client's connection is closed without an answer.
        case close
        /// The request is forwarded to its server.
        case forward
    }

    /// How fast a capture is served.
    public enum Pace: String, Sendable, Hashable, CaseIterable {
        /// With the recorded times until the response starts and until it ends.
        case recorded
        /// Immediately.
        case atOnce = "none"
    }

    /// Selects the captures.
    public let filter: Filter
    /// Decides whether a request equals a captured one.
    public let matching: MockMatching
    /// Which of several captures of one request is served.
    public let order: MockOrder
    /// What happens to a request that no capture answers.
    public let unmatched: Unmatched
    /// Whether dates are moved, so that the response is as fresh as it was.
    public let isRefreshed: Bool
    /// How fast a capture is served.
    public let pace: Pace
}
