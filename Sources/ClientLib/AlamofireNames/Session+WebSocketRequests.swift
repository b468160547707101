public import ProxydHTTPModel

/// WebSockets with Alamofire's argument labels.
extension Session {
    /// Creates a WebSocket.
    public func webSocketRequest(
        to url: some URLConvertible, configuration: WebSocketRequest.Configuration = .default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(
            url, headers: headers, configuration: configuration, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a WebSocket with parameters, which are added to the query.
    public func webSocketRequest<Values: Encodable & Sendable>(
        to url: some URLConvertible, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        configuration: WebSocketRequest.Configuration = .default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(
            url, parameters: parameters, encoder: encoder, headers: headers,
            configuration: configuration, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a WebSocket from an existing opening request.
    public func webSocketRequest(
        performing convertible: some RequestConvertible,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil
    ) -> WebSocketRequest {
        webSocketRequest(convertible, configuration: configuration, interceptor: interceptor)
    }
}
