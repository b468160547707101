public import HTTPModel

extension Session {
    /// A request whose response is handed on piece by piece.
    public func streamRequest(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(interceptor) {
            var request = HTTPRequest(
                method: method, url: try url.asURL(), fields: headers ?? HeaderFields(),
                body: body)
            try requestModifier?(&request)
            return request
        }
    }

    /// A request whose response is handed on piece by piece.
    public func streamRequest(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataStreamRequest {
        streamRequest(interceptor) { try convertible.asRequest() }
    }

    private func streamRequest(
        _ interceptor: (any RequestInterceptor)?,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) -> DataStreamRequest {
        let pieces = StreamPieces()
        let core = RequestCore(session: core, consumer: pieces, build: build)
        if let interceptor { core.configure { $0.interceptors.append(interceptor) } }
        return DataStreamRequest(core, pieces: pieces)
    }
}
