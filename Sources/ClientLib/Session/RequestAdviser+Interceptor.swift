internal import ProxydHTTPModel

extension RequestAdviser {
    /// An interceptor that is asked about one request. The request keeps what this makes, so that
    /// must not keep the request. Where the session is gone, nothing is sent any more.
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
    /// The session that made the request; nil once no one holds it. Requests have no other hosts
    /// than sessions.
    fileprivate var session: Session? { (core.host as? SessionCore)?.session }
}
