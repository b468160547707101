/// Combines several adapters and retriers. Adapters run in order and the first error stops them;
/// the first retrier that returns anything other than `.doNotRetry` decides.
public struct Interceptor: RequestInterceptor {
    public let adapters: [any RequestAdapter]
    public let retriers: [any RequestRetrier]

    /// `interceptors` are called last in both roles.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    public init(adapter: @escaping Adapter.Closure, retrier: @escaping Retrier.Closure) {
        self.init(adapters: [Adapter(adapter)], retriers: [Retrier(retrier)])
    }

    public init(
        adapter: any RequestAdapter, retrier: any RequestRetrier,
        interceptors: [any RequestInterceptor] = []
    ) {
        self.init(adapters: [adapter], retriers: [retrier], interceptors: interceptors)
    }

    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, using: state) }
        return request
    }

    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        for retrier in retriers {
            let result = await retrier.retry(request, for: session, dueTo: error)
            if case .doNotRetry = result { continue }
            return result
        }
        return .doNotRetry
    }
}

public struct Adapter: RequestInterceptor {
    public typealias Closure =
        @Sendable (_ request: HTTPRequest, _ state: RequestAdapterState) async throws -> HTTPRequest
    private let closure: Closure

    public init(_ closure: @escaping Closure) { self.closure = closure }

    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        try await closure(request, state)
    }
}

public struct Retrier: RequestInterceptor {
    public typealias Closure =
        @Sendable (
            _ request: any ClientRequest, _ session: Session, _ error: ClientError
        ) async -> RetryResult
    private let closure: Closure

    public init(_ closure: @escaping Closure) { self.closure = closure }

    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await closure(request, session, error)
    }
}

extension ClientRequest {
    /// The request that the adapters returned in the last attempt, before redirects changed it, or
    /// nil before the first attempt. A retry sends this request again, not `request`.
    public var adaptedRequest: HTTPRequest? { core.read(\.adaptedRequest) }

    /// Adds an interceptor to this request, after those it already has.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        core.configure { $0.interceptors.append(BoundInterceptor(interceptor, for: self)) }
        return self
    }

    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        interceptor(Interceptor(adapters: [adapter]))
    }

    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self {
        interceptor(Interceptor(retriers: [retrier]))
    }

    /// Adds a closure that changes this request before each attempt.
    @discardableResult
    public func adapt(_ closure: @escaping Adapter.Closure) -> Self {
        interceptor(Adapter(closure))
    }

    /// Adds a closure that decides whether this request is retried.
    @discardableResult
    public func retry(_ closure: @escaping Retrier.Closure) -> Self {
        interceptor(Retrier(closure))
    }
}
