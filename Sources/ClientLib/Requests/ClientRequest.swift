public import ProxydHTTPModel

/// A request made by a session, with its state and the means to start, pause and cancel it.
///
/// This is what all kinds of requests have in common. Alamofire calls it `Request`; here
/// `HTTPRequest` is the value that is sent.
public protocol ClientRequest: AnyObject, Sendable, CustomStringConvertible {
    /// The implementation that all kinds of requests share.
    var core: RequestCore { get }
}

extension ClientRequest {
    /// The number of the request, unique within the process.
    public var id: UInt64 { core.id }
    /// The current state.
    public var state: RequestState { core.read(\.phase) }
    /// Whether the request has been created but not started.
    public var isInitialized: Bool { state == .initialized }
    /// Whether the request is running.
    public var isResumed: Bool { state == .resumed }
    /// Whether the request is paused.
    public var isSuspended: Bool { state == .suspended }
    /// Whether the request was cancelled.
    public var isCancelled: Bool { state == .cancelled }
    /// Whether the request has ended.
    public var isFinished: Bool { state == .finished }
    /// How often the request has been retried.
    public var retryCount: Int { core.read(\.retryCount) }
    /// The request that was sent last, or nil before the first attempt.
    public var request: HTTPRequest? { core.read(\.lastRequest) }
    /// The head of the last response, or nil if there is none yet.
    public var response: ResponseHead? { core.read(\.lastResponse) }
    /// Why the request failed, or nil if it has not failed so far.
    public var error: ClientError? { core.read(\.error) }
    /// Every attempt so far, including redirects and answered challenges.
    public var exchanges: [Exchange] { core.read(\.attempts).map(\.exchange) }
    /// When each step has happened so far.
    public var timeline: RequestTimeline { core.timeline }

    /// A line such as `GET https://api.test/ (200)`, without secrets from the URL.
    public var description: String {
        let (request, head) = core.read { ($0.lastRequest, $0.lastResponse) }
        guard let request else { return "No request created yet." }
        let first = request.description
        return head.map { "\(first) (\($0.status))" } ?? first
    }
}
