public import HTTPModel

extension Session {
    /// Changes a request after it was made and before anything else happens to it.
    public typealias RequestModifier = @Sendable (inout HTTPRequest) throws -> Void

    /// A request for data in memory.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(interceptor) {
            var request = HTTPRequest(
                method: method, url: try url.asURL(), fields: headers ?? HeaderFields(),
                body: body)
            try requestModifier?(&request)
            return request
        }
    }

    /// A request for data in memory.
    public func request(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        dataRequest(interceptor) { try convertible.asRequest() }
    }

    private func dataRequest(
        _ interceptor: (any RequestInterceptor)?,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) -> DataRequest {
        let core = RequestCore(session: core, build: build)
        if let interceptor { core.configure { $0.interceptors.append(interceptor) } }
        return DataRequest(core)
    }
}
