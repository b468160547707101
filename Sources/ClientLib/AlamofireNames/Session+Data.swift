public import FoundationEssentials
public import ProxydHTTPModel
public import ProxydParameterCoding

/// Uploads from Foundation's types.
extension Session {
    /// Uploads data.
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

    /// Uploads a multipart form.
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
