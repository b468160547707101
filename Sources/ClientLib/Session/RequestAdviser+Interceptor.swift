internal import ProxydHTTPModel

extension RequestAdviser {
    /// An adviser that asks an interceptor about one request. The request keeps the adviser, so the
    /// adviser must not keep the request. If the session has been released, nothing more is sent.
    init(_ interceptor: any RequestInterceptor, for request: any ClientRequest) {
        adapt = { [weak request] adapted in
            guard let request, let session = request.session else {
                throw ClientError(.sessionDeinitialized)
            }
            let state = RequestAdapterState(
                requestID: request.id, retryCount: request.retryCount, session: session)
            return try await interceptor.adapt(adapted, using: state)
        }
        retry = { [weak request] error in
            guard let request, let session = request.session else { return .doNotRetry }
            return await interceptor.retry(request, for: session, dueTo: error)
        }
    }
}

extension ClientRequest {
    /// The session that made the request, or nil if it has been released. Only sessions host
    /// requests.
    fileprivate var session: Session? { (core.host as? SessionCore)?.session }
}
