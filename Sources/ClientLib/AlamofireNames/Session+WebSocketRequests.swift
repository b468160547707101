public import ProxydHTTPModel

/// WebSockets under the labels that Alamofire has.
extension Session {
    /// A WebSocket.
    public func webSocketRequest(
        to url: some URLConvertible, configuration: WebSocketRequest.Configuration = .default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(
            url, headers: headers, configuration: configuration, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// A WebSocket with parameters, which go into the query.
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

    /// A WebSocket whose opening is a request that was made elsewhere.
    public func webSocketRequest(
        performing convertible: some RequestConvertible,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil
    ) -> WebSocketRequest {
        webSocketRequest(convertible, configuration: configuration, interceptor: interceptor)
    }
}
