public import ProxydHTTPModel
internal import ProxydParameterCoding

// Parameters of mixed types, as variables have them: `["page": page, "q": text]`, `[String: Any]`.
//
// All methods are disfavoured overloads: `Parameter` literals and `Encodable` values use the other
// methods, and the compiler considers these only for anything else. See `MixedParameters` for the
// values that are allowed.

extension Session {
    /// A request for data in memory, with parameters of mixed types.
    @_disfavoredOverload
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: [String: Any?]?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: method, parameters: parameters.map(MixedParameters.init),
            encoder: EncodingOfMixed(encoding: encoding), headers: headers,
            interceptor: interceptor, requestModifier: requestModifier)
    }

    /// A request for data in memory, with parameters of mixed types.
    @_disfavoredOverload
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: [String: Any?]?,
        encoder: any ParameterEncoder, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: method, parameters: parameters.map(MixedParameters.init),
            encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Downloads to a file, with parameters of mixed types.
    @_disfavoredOverload
    public func download(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: [String: Any?]?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            url, method: method, parameters: parameters.map(MixedParameters.init),
            encoder: EncodingOfMixed(encoding: encoding), headers: headers,
            interceptor: interceptor, requestModifier: requestModifier, to: destination)
    }

    /// A request that delivers its response in pieces, with parameters of mixed types.
    @_disfavoredOverload
    public func streamRequest(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: [String: Any?]?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(
            url, method: method, parameters: parameters.map(MixedParameters.init),
            encoder: EncodingOfMixed(encoding: encoding), headers: headers,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
            interceptor: interceptor, requestModifier: requestModifier)
    }
}

/// Makes a `ParameterEncoding` an encoder for the one type of parameters used here.
private struct EncodingOfMixed: ParameterEncoder {
    let encoding: any ParameterEncoding

    func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        let mixed = parameters as? MixedParameters
        return try encoding.encode(request, with: mixed.map { try $0.parameter })
    }
}
