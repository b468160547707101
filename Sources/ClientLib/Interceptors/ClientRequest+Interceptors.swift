internal import ProxydHTTPModel

extension ClientRequest {
    /// What the adapters made of the request in the last attempt, before redirects changed it;
    /// nil before the first. It is this that a retry sends again, not `request`.
    public var adaptedRequest: HTTPRequest? { core.read(\.adaptedRequest) }

    /// Asks an interceptor about this request, behind those it has.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        core.configure { $0.advisers.append(RequestAdviser(interceptor, for: self)) }
        return self
    }

    /// Asks an adapter about this request.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        interceptor(Interceptor(adapters: [adapter]))
    }

    /// Asks a retrier about this request.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self {
        interceptor(Interceptor(retriers: [retrier]))
    }

    /// Changes this request with a closure before each attempt.
    @discardableResult
    public func adapt(_ closure: @escaping Adapter.Closure) -> Self {
        interceptor(Adapter(closure))
    }

    /// Decides about failures of this request with a closure.
    @discardableResult
    public func retry(_ closure: @escaping Retrier.Closure) -> Self {
        interceptor(Retrier(closure))
    }
}
