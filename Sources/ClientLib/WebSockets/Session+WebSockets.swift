public import ProxydHTTPModel

extension Session {
    /// Creates a WebSocket. The URL's scheme is `ws`, `wss`, `http` or `https`.
    ///
    /// It is opened over HTTP/1.1, and through a tunnel if the session has a proxy. `protocols`, if
    /// any, override those of the configuration.
    public func webSocketRequest(
        _ url: some URLConvertible, protocols: [String] = [], headers: HeaderFields? = nil,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration.offering(protocols)) {
            try Session.webSocketOpening(url, headers, requestModifier)
        }
    }

    /// Creates a WebSocket with parameters, which are added to the query.
    public func webSocketRequest<Values: Encodable & Sendable>(
        _ url: some URLConvertible, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        protocols: [String] = [], headers: HeaderFields? = nil,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration.offering(protocols)) {
            let opening = try Session.webSocketOpening(url, headers, requestModifier)
            return try encoder.encode(parameters, into: opening)
        }
    }

    /// Creates a WebSocket from an existing opening request: a GET without a body.
    public func webSocketRequest(
        _ convertible: some RequestConvertible,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration) { try convertible.asRequest() }
    }

    private static func webSocketOpening(
        _ url: some URLConvertible, _ headers: HeaderFields?, _ modifier: RequestModifier?
    ) throws -> HTTPRequest {
        var request = HTTPRequest(url: try WebSocketURL.read(url))
        request.fields = headers ?? HeaderFields()
        try modifier?(&request)
        return request
    }

    private func webSocketRequest(
        _ interceptor: (any RequestInterceptor)?,
        _ configuration: WebSocketRequest.Configuration,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) -> WebSocketRequest {
        let conversation = WebSocketConversation(configuration)
        let shared = RequestCore(host: core, consumer: conversation, build: build)
        return core.adopt(WebSocketRequest(shared, conversation), interceptor)
    }
}

extension WebSocketRequest.Configuration {
    /// The same configuration with these protocols, if there are any.
    fileprivate func offering(_ protocols: [String]) -> Self {
        var configuration = self
        if !protocols.isEmpty { configuration.protocols = protocols }
        return configuration
    }
}
