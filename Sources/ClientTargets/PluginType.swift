public import ClientLib
internal import ProxydHTTPModel
internal import Synchronization

/// Takes part in every request of a provider. Plugins are called in the provider's order; each gets
/// the result of the one before it.
public protocol PluginType: Sendable {
    /// The request to send instead of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent.
    func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest
    /// An attempt starts: the first, and each retry. Redirects and answers to challenges belong to
    /// the attempt that caused them.
    func willSend(_ request: PluginRequest, target: any TargetType)
    /// The request has ended. `attemptCount` is the number of calls of `willSend`; 0 if the request
    /// failed or was cancelled before.
    func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int)
    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType)
    /// The result that the caller gets instead of `result`.
    func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError>
}

extension PluginType {
    public func prepare(
        _ request: HTTPRequest, target: any TargetType
    ) async throws -> HTTPRequest { request }

    public func willSend(_ request: PluginRequest, target: any TargetType) {}

    /// Calls the simpler form.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        didReceive(result, target: target)
    }

    public func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType) {}

    public func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError> { result }
}

/// A request as plugins see it before it is sent.
public struct PluginRequest: Sendable {
    /// The request that will be sent, still without the session's default fields, cookies and
    /// framing.
    public let request: HTTPRequest
    /// The number of the attempt, counted from 1.
    public let attempt: Int
    /// The number of the request, the same for all attempts.
    public var id: UInt64 { asked.id }
    private let asked: any ClientRequest

    init(_ request: HTTPRequest, attempt: Int, of asked: any ClientRequest) {
        self.request = request
        self.attempt = attempt
        self.asked = asked
    }

    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) {
        asked.authenticate(with: credential, persistence: persistence)
    }

    /// Answers Basic and Digest challenges of the request's server.
    public func authenticate(username: String, password: String) {
        authenticate(with: Credential(user: username, password: password))
    }
}

/// Calls the plugins for each attempt of a request, after all other adapters.
final class PluginInterceptor: RequestInterceptor {
    private let plugins: [any PluginType]
    private let target: any TargetType
    private let count = Atomic<Int>(0)
    /// Weak because the request keeps its interceptors.
    private weak let asked: (any ClientRequest)?

    init(_ plugins: [any PluginType], target: any TargetType, request: any ClientRequest) {
        self.plugins = plugins
        self.target = target
        asked = request
    }

    /// How often plugins were told that an attempt starts.
    var attemptCount: Int { count.load(ordering: .relaxed) }

    func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        var request = request
        for plugin in plugins { request = try await plugin.prepare(request, target: target) }
        try Task.checkCancellation()
        guard let asked else { return request }
        count.add(1, ordering: .relaxed)
        let announced = PluginRequest(request, attempt: state.retryCount + 1, of: asked)
        for plugin in plugins { plugin.willSend(announced, target: target) }
        return request
    }

    /// Reports the end of the request to the plugins, and returns the result as they changed it.
    func finish(
        _ result: Result<TargetResponse, ClientError>
    ) -> Result<TargetResponse, ClientError> {
        for plugin in plugins {
            plugin.didReceive(result, target: target, attemptCount: attemptCount)
        }
        return processed(result)
    }

    func processed(
        _ result: Result<TargetResponse, ClientError>
    ) -> Result<TargetResponse, ClientError> {
        plugins.reduce(result) { $1.process($0, target: target) }
    }
}

public protocol AccessTokenAuthorizable {
    /// How the token is sent, or nil for no token.
    var authorizationType: AuthorizationType? { get }
}

/// The scheme of a token in `Authorization`.
public enum AuthorizationType: Sendable, Hashable {
    /// `Basic TOKEN`.
    case basic
    /// `Bearer TOKEN`.
    case bearer
    /// `SCHEME TOKEN` with another scheme.
    case custom(String)

    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let scheme): scheme
        }
    }
}

/// Adds a token to the requests of targets that are `AccessTokenAuthorizable`. It replaces an
/// existing value, so that retries do not add a second one.
public struct AccessTokenPlugin: PluginType {
    /// Returns the token; called for each attempt.
    public typealias TokenClosure = @Sendable (any TargetType) async throws -> String
    private let token: TokenClosure

    public init(tokenClosure: @escaping TokenClosure) { token = tokenClosure }

    public func prepare(
        _ request: HTTPRequest, target: any TargetType
    ) async throws -> HTTPRequest {
        guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else {
            return request
        }
        let asked = (target as? MultiTarget)?.target ?? target
        var request = request
        request.fields.set(name: "Authorization", value: "\(type.value) \(try await token(asked))")
        return request
    }
}

/// Answers Basic and Digest challenges with a credential for each target.
public struct CredentialsPlugin: PluginType {
    /// Returns the credential for a target, or nil for none.
    public typealias CredentialClosure = @Sendable (any TargetType) -> Credential?
    private let credential: CredentialClosure

    public init(credentialsClosure: @escaping CredentialClosure) {
        credential = credentialsClosure
    }

    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if let credential = credential(target) { request.authenticate(with: credential) }
    }
}

/// Reports when requests start and end: each that started ends exactly once, however often it is
/// retried.
public struct NetworkActivityPlugin: PluginType {
    public enum Change: Sendable, Hashable {
        case began
        case ended
    }

    public typealias ActivityClosure =
        @Sendable (_ change: Change, _ target: any TargetType) -> Void
    private let activity: ActivityClosure

    public init(networkActivityClosure: @escaping ActivityClosure) {
        activity = networkActivityClosure
    }

    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if request.attempt == 1 { activity(.began, target) }
    }

    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        if attemptCount > 0 { activity(.ended, target) }
    }
}
