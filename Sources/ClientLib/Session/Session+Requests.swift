public import ProxydHTTPModel
public import ProxydParameterCoding

extension Session {
    /// Changes a request after it is created and before anything else happens to it.
    public typealias RequestModifier = @Sendable (inout HTTPRequest) throws -> Void
    /// Creates a request; called again for each retry.
    public typealias RequestBuilder = @Sendable () async throws -> HTTPRequest

    /// A request for data in memory.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    /// A request for data in memory, from a complete HTTP request.
    public func request(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) { try convertible.asRequest() }
    }

    /// A request for data in memory, with parameters. Without parameters, no empty form is sent.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Parameter?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoding.encode(request, with: parameters)
        }
    }

    /// A request for data in memory, with encodable parameters.
    public func request<Values: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
    }

    /// A request for data in memory that `build` creates when it is sent, and again for each retry.
    public func request(
        interceptor: (any RequestInterceptor)? = nil, building build: @escaping RequestBuilder
    ) -> DataRequest {
        core.adopt(DataRequest(RequestCore(host: core, build: build)), interceptor)
    }
}
