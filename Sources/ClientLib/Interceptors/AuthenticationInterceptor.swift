public import ProxydHTTPModel

/// A credential that may expire.
public protocol AuthenticationCredential: Sendable {
    /// Whether it should be refreshed before it is used.
    var requiresRefresh: Bool { get }
}

/// Applies, recognises and refreshes credentials of one type.
public protocol CredentialAuthenticator<Credential>: Sendable {
    associatedtype Credential: AuthenticationCredential
    func apply(_ credential: Credential, to request: inout HTTPRequest)
    func refresh(_ credential: Credential, for session: Session) async throws -> Credential
    func didRequest(
        _ request: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError: ClientError
    ) -> Bool
    /// Whether a request carries this credential; a request with an older one is simply retried.
    func isRequest(_ request: HTTPRequest, authenticatedWith credential: Credential) -> Bool
}

public enum AuthenticationError: Error, Sendable, Hashable, CustomStringConvertible {
    case missingCredential
    /// The credential was refreshed too often within the refresh window.
    case excessiveRefresh

    public var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was refreshed too often in too short a time"
        }
    }
}

/// Adds a credential to requests, and refreshes it once for all requests that need a newer one.
public actor AuthenticationInterceptor<AuthenticatorType: CredentialAuthenticator>:
    RequestInterceptor
{
    /// How often a credential may be refreshed within a period.
    public struct RefreshWindow: Sendable, Hashable {
        public var interval: Duration
        public var maximumAttempts: Int

        public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
            self.interval = interval
            self.maximumAttempts = maximumAttempts
        }
    }

    private let authenticator: AuthenticatorType
    private let window: RefreshWindow?
    private let now: @Sendable () -> ContinuousClock.Instant
    private var credential: AuthenticatorType.Credential?
    private var refreshing: Task<AuthenticatorType.Credential, any Error>?
    private var refreshTimes: [ContinuousClock.Instant] = []

    /// Without `refreshWindow` there is no limit.
    public init(
        authenticator: AuthenticatorType, credential: AuthenticatorType.Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow()
    ) {
        self.init(
            authenticator: authenticator, credential: credential, refreshWindow: refreshWindow,
            now: { ContinuousClock.now })
    }

    init(
        authenticator: AuthenticatorType, credential: AuthenticatorType.Credential?,
        refreshWindow: RefreshWindow?, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.authenticator = authenticator
        self.credential = credential
        window = refreshWindow
        self.now = now
    }

    public var currentCredential: AuthenticatorType.Credential? { credential }

    public func setCredential(_ credential: AuthenticatorType.Credential?) {
        self.credential = credential
    }

    /// The request with the credential, which is refreshed first if necessary.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        guard var current = credential else { throw AuthenticationError.missingCredential }
        if refreshing != nil || current.requiresRefresh {
            current = try await refresh(for: state.session)
        }
        var request = request
        authenticator.apply(current, to: &request)
        return request
    }

    /// Retries a request whose credential was refused: with a refreshed one or, once, with a newer
    /// one that is already available. A response from another origin after a redirect is ignored,
    /// because the credential was not sent there.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        guard let sent = request.request, let response = request.response,
            let first = request.adaptedRequest, sent.url.isSameOrigin(as: first.url),
            authenticator.didRequest(sent, with: response, failDueToAuthenticationError: error)
        else { return .doNotRetry }
        guard let current = credential else {
            return .doNotRetryWithError(AuthenticationError.missingCredential)
        }
        guard authenticator.isRequest(sent, authenticatedWith: current) else {
            // An authenticator that never recognises its own credential must not cause endless
            // retries.
            let isFirst = request.core.change { state in
                defer { state.didTryNewerCredential = true }
                return !state.didTryNewerCredential
            }
            return isFirst ? .retry : .doNotRetry
        }
        do {
            _ = try await refresh(for: session)
            return .retry
        } catch {
            return .doNotRetryWithError(error)
        }
    }

    /// Joins a running refresh, or starts one.
    private func refresh(for session: Session) async throws -> AuthenticatorType.Credential {
        if let refreshing { return try await refreshing.value }
        guard let old = credential else { throw AuthenticationError.missingCredential }
        try checkWindow()
        let task = Task { [authenticator] in
            try await authenticator.refresh(old, for: session)
        }
        refreshing = task
        defer { refreshing = nil }
        let new = try await task.value
        credential = new
        return new
    }

    private func checkWindow() throws(AuthenticationError) {
        guard let window else { return }
        let now = now()
        refreshTimes.removeAll { $0.advanced(by: window.interval) <= now }
        guard refreshTimes.count < window.maximumAttempts else {
            throw AuthenticationError.excessiveRefresh
        }
        refreshTimes.append(now)
    }
}
