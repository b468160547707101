public import FoundationEssentials
public import ProxydHTTPModel
public import ProxydParameterCoding

extension Session {
    /// Uploads bytes.
    public func upload(
        _ data: [UInt8], to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .bytes(data), to: url, method: method, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Uploads a file.
    public func upload(
        _ fileURL: URL, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .file(path: fileURL.path(percentEncoded: false)), to: url, method: method,
            headers: headers, interceptor: interceptor, requestModifier: requestModifier)
    }

    /// Uploads the content of a stream.
    public func upload(
        _ stream: BodyStream, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .stream(stream), to: url, method: method, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Uploads a form that `multipartFormData` fills. If it throws, the request fails with that
    /// error.
    public func upload(
        multipartFormData: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        // All attempts use the same boundary, so that a retry sends the same bytes.
        let boundary = MultipartBoundary.random()
        return upload(interceptor: interceptor) {
            var form = MultipartFormData(boundary: boundary)
            do {
                try multipartFormData(&form)
            } catch {
                throw ClientError.wrapping(error, as: .multipartEncodingFailed)
            }
            var request = HTTPRequest(
                method: method, url: try url.asURL(), fields: headers ?? HeaderFields(),
                body: .multipart(form))
            try requestModifier?(&request)
            return request
        }
    }

    /// Uploads a body.
    public func upload(
        _ body: HTTPBody, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(interceptor: interceptor) {
            var request = HTTPRequest(
                method: method, url: try url.asURL(), fields: headers ?? HeaderFields(),
                body: body)
            try requestModifier?(&request)
            return request
        }
    }

    /// Uploads a body with a request; the request's own body is not sent.
    public func upload(
        _ body: HTTPBody, with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(interceptor: interceptor) {
            var request = try convertible.asRequest()
            request.body = body
            return request
        }
    }

    /// Uploads the body of a request that `build` creates when it is sent, and again for each
    /// retry.
    public func upload(
        interceptor: (any RequestInterceptor)? = nil, building build: @escaping RequestBuilder
    ) -> UploadRequest {
        core.adopt(UploadRequest(RequestCore(host: core, build: build)), interceptor)
    }
}
