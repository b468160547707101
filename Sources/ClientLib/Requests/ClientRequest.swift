public import ProxydHTTPModel

/// A request that was made by a session: started, paused, cancelled and looked at through this.
///
/// What the kinds of requests have in common; Alamofire calls it `Request`, which here is the value
/// that was sent.
public protocol ClientRequest: AnyObject, Sendable, CustomStringConvertible {
    /// The machinery that all kinds share.
    var core: RequestCore { get }
}

extension ClientRequest {
    /// The number of the request, unlike all others of the process.
    public var id: UInt64 { core.id }
    /// Where it is in its life.
    public var state: RequestState { core.read(\.phase) }
    /// Whether it was made and not started.
    public var isInitialized: Bool { state == .initialized }
    /// Whether it is under way.
    public var isResumed: Bool { state == .resumed }
    /// Whether it is paused.
    public var isSuspended: Bool { state == .suspended }
    /// Whether it was given up.
    public var isCancelled: Bool { state == .cancelled }
    /// Whether it is over.
    public var isFinished: Bool { state == .finished }
    /// How often it was sent again.
    public var retryCount: Int { core.read(\.retryCount) }
    /// What was sent last; nil before the first attempt.
    public var request: HTTPRequest? { core.read(\.lastRequest) }
    /// The head of the last response; nil while there is none.
    public var response: ResponseHead? { core.read(\.lastResponse) }
    /// Why it failed; nil where it did not so far.
    public var error: ClientError? { core.read(\.error) }
    /// Every attempt so far, redirects and answered challenges included.
    public var exchanges: [Exchange] { core.read(\.attempts).map(\.exchange) }
    /// When everything happened so far.
    public var timeline: RequestTimeline { core.timeline }

    /// `GET https://api.test/ (200)`; secrets in the URL are left out.
    public var description: String {
        let (request, head) = core.read { ($0.lastRequest, $0.lastResponse) }
        guard let request else { return "No request created yet." }
        let first = request.description
        return head.map { "\(first) (\($0.status))" } ?? first
    }
}
