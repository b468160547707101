public import ProxydHTTPModel
public import ProxydParameterCoding
public import FoundationEssentials

extension Session {
    public func upload(
        _ data: Data, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .bytes(Array(data)), to: url, method: method, headers: headers,
            interceptor: interceptor, requestModifier: requestModifier)
    }

    /// Uploads data with a request; the request's own body is not sent.
    public func upload(
        _ data: Data, with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(.bytes(Array(data)), with: convertible, interceptor: interceptor)
    }

    /// Uploads a file with a request; the request's own body is not sent.
    public func upload(
        _ fileURL: URL, with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(
            .file(path: fileURL.path(percentEncoded: false)), with: convertible,
            interceptor: interceptor)
    }

    public func upload(
        multipartFormData form: MultipartFormData, to url: some URLConvertible,
        method: HTTPMethod = .post, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .multipart(form), to: url, method: method, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }
}

extension MultipartFormData {
    public mutating func append(
        _ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        append(Array(data), name: name, filename: fileName, contentType: mimeType)
    }

    /// Adds a file and determines its size now. If the file is missing or cannot be read, sending
    /// the form fails.
    public mutating func append(
        _ fileURL: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        let path = fileURL.path(percentEncoded: false)
        let fileName = fileName ?? fileURL.lastPathComponent
        let fact = FileFact(ofFileAt: path)
        let byteCount: Int64 = if case .file(let count) = fact { count } else { 0 }
        append(
            MultipartPart(
                name: name, filename: fileName,
                contentType: mimeType ?? FileMediaType.mediaType(ofFileNamed: fileName),
                content: .file(path: path, byteCount: byteCount)))
    }
}

/// WebSockets with Alamofire's argument labels.
extension Session {
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
