public import ProxydHTTPModel
public import ProxydParameterCoding
public import FoundationEssentials

extension Session {
    /// Changes a request after it is created and before anything else happens to it.
    public typealias RequestModifier = @Sendable (inout HTTPRequest) throws -> Void
    /// Creates a request; called again for each retry.
    public typealias RequestBuilder = @Sendable () async throws -> HTTPRequest

    /// A request for data in memory.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    public func request(
        _ convertible: some RequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) { try convertible.asRequest() }
    }

    /// A request for data in memory, with parameters. Without parameters, no empty form is sent.
    public func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Parameter?,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HeaderFields? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoding.encode(request, with: parameters)
        }
    }

    public func request<Values: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(interceptor: interceptor) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
    }

    /// A request for data in memory that `build` creates when it is sent, and again for each retry.
    public func request(
        interceptor: (any RequestInterceptor)? = nil, building build: @escaping RequestBuilder
    ) -> DataRequest {
        core.adopt(DataRequest(RequestCore(host: core, build: build)), interceptor)
    }
}

// Parameters of mixed types, as variables have them: `["page": page, "q": text]`, `[String: Any]`.
//
// All methods are disfavoured overloads: `Parameter` literals and `Encodable` values use the other
// methods, and the compiler considers these only for anything else. See `MixedParameters` for the
// values that are allowed.

extension Session {
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

    public func download<Values: Encodable & Sendable>(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil, to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        downloadRequest(interceptor, destination) {
            let request = try HTTPRequest.of(url, method, headers, requestModifier)
            return try encoder.encode(parameters, into: request)
        }
    }

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

    public func upload(
        _ data: [UInt8], to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .bytes(data), to: url, method: method, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    public func upload(
        _ fileURL: URL, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            .file(path: fileURL.path(percentEncoded: false)), to: url, method: method,
            headers: headers, interceptor: interceptor, requestModifier: requestModifier)
    }

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
            return try HTTPRequest.of(url, method, headers, body: .multipart(form), requestModifier)
        }
    }

    public func upload(
        _ body: HTTPBody, to url: some URLConvertible, method: HTTPMethod = .post,
        headers: HeaderFields? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(interceptor: interceptor) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
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

extension HTTPRequest {
    static func of(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HeaderFields?,
        body: HTTPBody = .none, _ modifier: Session.RequestModifier?
    ) throws -> HTTPRequest {
        var request = HTTPRequest(
            method: method, url: try url.asURL(), fields: headers ?? HeaderFields(), body: body)
        try modifier?(&request)
        return request
    }
}
