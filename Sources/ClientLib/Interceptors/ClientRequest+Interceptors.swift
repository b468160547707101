internal import ProxydHTTPModel

extension ClientRequest {
    /// The request that the adapters returned in the last attempt, before redirects changed it, or
    /// nil before the first attempt. A retry sends this request again, not `request`.
    public var adaptedRequest: HTTPRequest? { core.read(\.adaptedRequest) }

    /// Adds an interceptor to this request, after those it already has.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        core.configure { $0.advisers.append(RequestAdviser(interceptor, for: self)) }
        return self
    }

    /// Adds an adapter to this request.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        interceptor(Interceptor(adapters: [adapter]))
    }

    /// Adds a retrier to this request.
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
