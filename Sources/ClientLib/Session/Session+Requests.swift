public import ProxydHTTPModel
public import ProxydParameterCoding

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
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    /// A request for data in memory.
    public func request(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        dataRequest(interceptor) { try convertible.asRequest() }
    }

    /// A request for data in memory, with parameters. An empty form is not sent for none.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Parameter?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoding.encode(request, with: parameters)
        }
    }

    /// A request for data in memory, with parameters.
    public func request<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
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
