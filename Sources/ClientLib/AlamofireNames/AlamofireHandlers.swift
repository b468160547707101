public import ProxydHTTPModel
public import Dispatch
public import FoundationEssentials

// Handlers in Alamofire's forms: on a queue, without a result, or with a completion handler.

extension ClientRequest {
    /// Calls `closure` on `queue` as bytes of the body are handed to the network.
    @discardableResult
    public func uploadProgress(
        queue: DispatchQueue, closure: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        uploadProgress { progress in queue.async { closure(progress) } }
    }

    /// Calls `closure` on `queue` as bytes of the response arrive.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue, closure: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        downloadProgress { progress in queue.async { closure(progress) } }
    }

    /// Calls `handler` with the head of the final response before its body is read.
    @discardableResult
    public func onHTTPResponse(
        _ handler: @escaping @Sendable (ResponseHead) async -> Void
    ) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            await handler(response)
            return .allow
        }
    }

    /// Calls `handler` with the head of the final response before its body is read; the request
    /// waits until the completion handler says whether to continue, which must be called exactly
    /// once.
    @discardableResult
    public func onHTTPResponse(
        _ handler:
            @escaping @Sendable (
                ResponseHead, _ completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
            ) -> Void
    ) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            await withCheckedContinuation { continuation in
                handler(response) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls `handler` with each request that is sent, including those of retries, redirects and
    /// answered challenges.
    @discardableResult
    public func onURLRequestCreation(
        perform handler: @escaping @Sendable (HTTPRequest) -> Void
    ) -> Self {
        eventMonitor(
            ClosureEventMonitor { event, request in
                if case .willSend = event, let sent = request.request { handler(sent) }
            })
    }

    /// The heads of responses as they arrive, including those of redirects.
    public func httpResponses() -> some AsyncSequence<ResponseHead, Never> & Sendable {
        events.compactMap { if case .didReceive(let head) = $0 { head } else { nil } }
    }

    /// The request as a curl command each time it is sent, without secrets.
    public func cURLDescriptions() -> some AsyncSequence<String, Never> & Sendable {
        events.compactMap { [weak self] event in
            if case .willSend = event { self?.cURLDescription() } else { nil }
        }
    }
}

// Validators that return a result, as in Alamofire.

extension DataCollectingRequest {
    /// Rejects responses for which `validation` returns a failure. It gets the request, the head of
    /// the response, and the body or nil if there is none.
    @discardableResult
    public func validate(
        _ validation:
            @escaping @Sendable (HTTPRequest?, ResponseHead, [UInt8]?) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { validation($0.request, $1, $0.data) })
    }
}

extension DownloadRequest {
    /// Rejects responses for which `validation` returns a failure; the URL is the body's file.
    @discardableResult
    public func validate(
        _ validation:
            @escaping @Sendable (HTTPRequest?, ResponseHead, URL?) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { completion, response in
            validation(completion.request, response, completion.filePath.map { URL(filePath: $0) })
        })
    }
}

extension DataStreamRequest {
    /// Rejects responses for which `validation` returns a failure.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { validation($0.request, $1) })
    }
}

extension ClientRequest {
    fileprivate func addValidator(
        judging judge: @escaping @Sendable (RequestOutcome, ResponseHead) -> Result<Void, any Error>
    ) -> Self {
        addValidator { completion throws(ClientError) in
            guard let response = completion.response,
                case .failure(let error) = judge(completion, response)
            else { return }
            throw .wrapping(error, as: .responseValidationFailed(.custom))
        }
    }
}

extension DataCollectingRequest {
    /// Waits for the value from a serializer: the same as `serializing(_:)`.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.Output> {
        serializing(serializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `completionHandler` with the value from a serializer on `queue`, or in the request's
    /// own task.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue? = nil, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> Self {
        response(using: responseSerializer, completionHandler: queue.calling(completionHandler))
    }
}

extension DownloadRequest {
    /// Waits for the value that a serializer makes from the file: the same as
    /// `serializingDownload(using:)`.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.Output> {
        serializingDownload(using: serializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `completionHandler` with the value that a serializer makes from the file, on `queue`
    /// or in the request's own task.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue? = nil, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
    ) -> Self {
        response(using: responseSerializer, completionHandler: queue.calling(completionHandler))
    }
}

extension DataStreamRequest {
    /// Calls `stream` with each piece decoded by `decoder`, and at the end.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        using decoder: any DataDecoder,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        stream: @escaping @Sendable (Stream<Value, ClientError>) throws -> Void
    ) -> Self {
        responseStream(
            using: DecodableStreamSerializer(decoder: decoder, preprocessor: preprocessor),
            on: queue, stream: stream)
    }
}

extension DownloadRequest {
    /// A destination in one of the user's directories, named safely as the server suggests or the
    /// URL ends. If the directory does not exist, it is the user's download folder.
    public static func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: Options = []
    ) -> Destination {
        suggestedDownloadDestination(
            in: FileManager.default.urls(for: directory, in: domain).first, options: options)
    }
}

/// WebSocket handlers in Alamofire's forms. Calls are in order, and a slow handler slows the server
/// down.
extension WebSocketRequest {
    @discardableResult
    public func streamMessages(
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (Message) -> Void
    ) -> Self {
        streamMessageEvents(on: queue) { event in
            if let message = event.message { handler(message) }
        }
    }

    @discardableResult
    public func streamMessageEvents(
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (Event<Message, Never>) -> Void
    ) -> Self {
        hear(events(automaticallyCancelling: false), on: queue, handler)
    }

    /// Calls `handler` with each message that can be decoded, by default from JSON.
    @discardableResult
    public func streamDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        using decoder: any DataDecoder = JSONDecoder(), handler: @escaping @Sendable (Value) -> Void
    ) -> Self {
        streamDecodableEvents(type, on: queue, using: decoder) { event in
            if let value = event.message { handler(value) }
        }
    }

    @discardableResult
    public func streamDecodableEvents<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        using decoder: any DataDecoder = JSONDecoder(),
        handler: @escaping @Sendable (Event<Value, ClientError>) -> Void
    ) -> Self {
        hear(events(of: type, decoder: decoder, automaticallyCancelling: false), on: queue, handler)
    }

    /// Closes the WebSocket without waiting for the server; at most 123 bytes of `reason` are sent.
    @discardableResult
    public func close(sending code: CloseCode, reason: Data? = nil) -> Self {
        let text = String(decoding: reason ?? Data(), as: UTF8.self)
        Task { try? await close(with: code, reason: text) }
        return self
    }

    private func hear<Element: Sendable>(
        _ events: WebSocketSequence<Element, Never>, on queue: DispatchQueue?,
        _ handler: @escaping @Sendable (Element) -> Void
    ) -> Self {
        Task {
            for await event in events { try? await queue.run { handler(event) } }
        }
        return self
    }
}
