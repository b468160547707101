internal import ProxydHTTPModel

/// Several adapters and retriers as one: adapters run in order and the first failure ends them;
/// of the retriers the first that does not say `.doNotRetry` decides.
public struct Interceptor: RequestInterceptor {
    /// The adapters in order.
    public let adapters: [any RequestAdapter]
    /// The retriers in order.
    public let retriers: [any RequestRetrier]

    /// An interceptor of adapters, retriers, and interceptors, which are asked last in both roles.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    /// An interceptor of two closures.
    public init(
        adapter: @escaping Adapter.Closure, retrier: @escaping Retrier.Closure
    ) {
        self.init(adapters: [Adapter(adapter)], retriers: [Retrier(retrier)])
    }

    /// An interceptor of one adapter, one retrier and interceptors.
    public init(
        adapter: any RequestAdapter, retrier: any RequestRetrier,
        interceptors: [any RequestInterceptor] = []
    ) {
        self.init(adapters: [adapter], retriers: [retrier], interceptors: interceptors)
    }

    /// What the adapters make of the request.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, using: state) }
        return request
    }

    /// What the first retrier that has an opinion says.
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

/// An adapter made of a closure.
public struct Adapter: RequestInterceptor {
    /// Changes a request.
    public typealias Closure =
        @Sendable (_ request: HTTPRequest, _ state: RequestAdapterState) async throws -> HTTPRequest
    private let closure: Closure

    /// An adapter that calls `closure`.
    public init(_ closure: @escaping Closure) { self.closure = closure }

    /// What the closure makes of the request.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        try await closure(request, state)
    }
}

/// A retrier made of a closure.
public struct Retrier: RequestInterceptor {
    /// Decides about a failure.
    public typealias Closure =
        @Sendable (
            _ request: any ClientRequest, _ session: Session, _ error: ClientError
        ) async -> RetryResult
    private let closure: Closure

    /// A retrier that calls `closure`.
    public init(_ closure: @escaping Closure) { self.closure = closure }

    /// What the closure says.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await closure(request, session, error)
    }
}
