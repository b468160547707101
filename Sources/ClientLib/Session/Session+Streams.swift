public import ProxydHTTPModel

extension Session {
    /// A request that delivers its response in pieces. With `automaticallyCancelOnStreamError`, a
    /// piece that cannot be converted to a value cancels the request.
    public func streamRequest(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(interceptor, automaticallyCancelOnStreamError) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    /// A request that delivers its response in pieces, with parameters.
    public func streamRequest<Values: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(interceptor, automaticallyCancelOnStreamError) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
    }

    /// A request that delivers its response in pieces, from a complete HTTP request.
    public func streamRequest(
        _ convertible: some RequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DataStreamRequest {
        streamRequest(interceptor, automaticallyCancelOnStreamError) { try convertible.asRequest() }
    }

    func streamRequest(
        _ interceptor: (any RequestInterceptor)?, _ isCancelledByErrors: Bool,
        isValidatedAtHead: Bool = false, build: @escaping @Sendable () async throws -> HTTPRequest
    ) -> DataStreamRequest {
        let pieces = StreamPieces(isValidatedAtHead: isValidatedAtHead)
        let shared = RequestCore(host: core, consumer: pieces, build: build)
        let request = DataStreamRequest(
            shared, pieces: pieces, isCancelledByErrors: isCancelledByErrors)
        return core.adopt(request, interceptor)
    }
}
