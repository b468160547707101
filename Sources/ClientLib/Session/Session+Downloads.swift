public import ProxydHTTPModel
public import ProxydParameterCoding

extension Session {
    /// Downloads to a file. Without `to` the file stays in the temporary directory.
    public func download(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Parameter? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        downloadRequest(interceptor, destination) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoding.encode(request, with: parameters)
        }
    }

    /// Downloads to a file, with encodable parameters.
    public func download<Values: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        downloadRequest(interceptor, destination) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
    }

    /// Downloads to a file.
    public func download(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        downloadRequest(interceptor, destination) { try convertible.asRequest() }
    }

    /// Resumes a download that ended early: asks the server for the rest; the server sends the
    /// whole file if it has changed since. Adapters are not called because they have already seen
    /// the request; `headers` are added to it.
    public func download(
        resumingWith data: DownloadResumeData, headers: HeaderFields? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        downloadRequest(nil, destination, resuming: data) {
            HTTPRequest(url: try RawURL(data.url), fields: headers ?? HeaderFields())
        }
    }

    /// Downloads to a file, with a request that `build` creates when it is sent, and again for each
    /// retry.
    public func download(
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil, building build: @escaping RequestBuilder
    ) -> DownloadRequest {
        downloadRequest(interceptor, destination, build: build)
    }

    private func downloadRequest(
        _ interceptor: (any RequestInterceptor)?, _ destination: DownloadRequest.Destination?,
        resuming data: DownloadResumeData? = nil, build: @escaping RequestBuilder
    ) -> DownloadRequest {
        let file = DownloadFile(destination: destination, resuming: data)
        let shared = RequestCore(host: core, consumer: file, build: build)
        shared.configure { $0.isAdapted = data == nil }
        return core.adopt(DownloadRequest(shared, file: file), interceptor)
    }
}
