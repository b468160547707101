public import ProxydHTTPModel

/// A request made by a session, with its state and the means to start, pause and cancel it.
///
/// This is what all kinds of requests have in common. Alamofire calls it `Request`; here
/// `HTTPRequest` is the value that is sent.
public protocol ClientRequest: AnyObject, Sendable, CustomStringConvertible {
    var core: RequestCore { get }
}

extension ClientRequest {
    /// The number of the request, unique within the process.
    public var id: UInt64 { core.id }
    public var state: RequestState { core.read(\.phase) }
    public var isInitialized: Bool { state == .initialized }
    public var isResumed: Bool { state == .resumed }
    public var isSuspended: Bool { state == .suspended }
    public var isCancelled: Bool { state == .cancelled }
    public var isFinished: Bool { state == .finished }
    public var retryCount: Int { core.read(\.retryCount) }
    /// The request that was sent last, or nil before the first attempt.
    public var request: HTTPRequest? { core.read(\.lastRequest) }
    /// The head of the last response, or nil if there is none yet.
    public var response: ResponseHead? { core.read(\.lastResponse) }
    public var error: ClientError? { core.read(\.error) }
    /// Every attempt so far, including redirects and answered challenges.
    public var exchanges: [Exchange] { core.read(\.attempts).map(\.exchange) }
    public var timeline: RequestTimeline { core.timeline }

    /// A line such as `GET https://api.test/ (200)`, without secrets from the URL.
    public var description: String {
        let (request, head) = core.read { ($0.lastRequest, $0.lastResponse) }
        guard let request else { return "No request created yet." }
        let first = request.description
        return head.map { "\(first) (\($0.status))" } ?? first
    }
}

/// The state of a request.
///
/// ```
/// initialized ──▶ resumed ◀──▶ suspended
///      │             ├──────────────┤
///      └──▶ cancelled ◀─────────────┤
///      └──▶ finished ◀──────────────┘
/// ```
/// `cancelled` and `finished` are final.
public enum RequestState: Sendable, Hashable {
    case initialized
    case resumed
    /// Paused: nothing more is sent or read except what is already in transit.
    case suspended
    case cancelled
    /// Ended, with or without an error.
    case finished

    /// Whether a request may change from this state to another.
    public func canTransition(to next: RequestState) -> Bool {
        switch (self, next) {
        case (.initialized, _): true
        case (_, .initialized), (.cancelled, _), (.finished, _): false
        case (.resumed, .cancelled), (.suspended, .cancelled), (.resumed, .suspended),
            (.suspended, .resumed):
            true
        case (.resumed, .resumed), (.suspended, .suspended): false
        case (_, .finished): true
        }
    }
}

extension ClientRequest {
    /// Answers Basic and Digest challenges of the request's server. The credential is not sent
    /// before the server asks, and not to another server that it redirects to.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: CredentialPersistence = .forSession
    ) -> Self {
        authenticate(with: Credential(user: username, password: password), persistence: persistence)
    }

    @discardableResult
    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) -> Self {
        core.configure { state in
            state.credential = credential
            state.credentialPersistence = persistence
        }
        return self
    }

    /// Sets the redirect handler of this request, which replaces the session's.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        core.configure { $0.redirectHandler = handler }
        return self
    }

    /// Makes a transport, such as a stub, answer this request instead of the session's. Its
    /// response is final: no redirect is followed, no challenge is answered, and the session stores
    /// no cookies from it.
    @discardableResult
    public func transport(_ transport: any ClientTransport) -> Self {
        core.configure { $0.transport = transport }
        return self
    }
}

/// A request whose response is collected in memory.
public final class DataRequest: DataCollectingRequest {
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}

/// A request whose response is collected in memory: the common part of data and upload requests.
public protocol DataCollectingRequest: ClientRequest {}

extension DataCollectingRequest {
    /// The body once it is complete, or nil before that and if there is none.
    public var data: [UInt8]? { core.read { $0.completion?.data } }
}

/// A request that sends a body and collects the response in memory.
public final class UploadRequest: DataCollectingRequest {
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}

public struct TransferProgress: Sendable, Hashable {
    public var completedByteCount: Int64
    /// The total number of bytes, or nil if it is unknown.
    public var totalByteCount: Int64?

    public init(completedByteCount: Int64, totalByteCount: Int64?) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
    }

    /// From 0 to 1; 0 if the total is unknown.
    public var fractionCompleted: Double {
        guard let totalByteCount else { return 0 }
        guard totalByteCount > 0 else { return 1 }
        return min(1, Double(completedByteCount) / Double(totalByteCount))
    }
}
