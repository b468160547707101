public import ProxydCharsets
internal import ProxydEventLoops
public import Dispatch
public import FoundationEssentials

extension DownloadRequest {
    public func serializingDownloadedFileURL(
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<URL> {
        waiting(automaticallyCancelling, DownloadRequest.fileURL)
    }

    /// Waits for the file and for the value that a serializer makes from its bytes.
    public func serializingDownload<Serializer: ResponseSerializer>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.Output> {
        waiting(automaticallyCancelling) { completion throws(ClientError) in
            try DownloadRequest.contents(of: completion, serializer)
        }
    }

    public func serializingData(automaticallyCancelling: Bool = true) -> DownloadTask<[UInt8]> {
        serializingDownload(using: .data, automaticallyCancelling: automaticallyCancelling)
    }

    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true,
        decoder: any DataDecoder = JSONDecoder()
    ) -> DownloadTask<Value> {
        serializingDownload(
            using: DecodableResponseSerializer(decoder: decoder),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `completionHandler` at the end, on `queue` or in the request's own task. The value is
    /// the file's location.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<URL?>) -> Void
    ) -> Self {
        let make: Make<URL?> = { $0.filePath.map { URL(filePath: $0) } }
        add(make, queue.calling(completionHandler))
        return self
    }

    @discardableResult
    public func responseURL(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
    ) -> Self {
        add(DownloadRequest.fileURL, queue.calling(completionHandler))
        return self
    }

    /// Calls `completionHandler` with the value that a serializer makes from the file's bytes.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
    ) -> Self {
        let make: Make<Serializer.Output> = { completion throws(ClientError) in
            try DownloadRequest.contents(of: completion, serializer)
        }
        add(make, completionHandler)
        return self
    }

    // MARK: Implementation

    typealias Make<Value> = @Sendable (RequestOutcome) throws(ClientError) -> Value

    @Sendable private static func fileURL(_ completion: RequestOutcome) throws(ClientError) -> URL {
        guard let path = completion.filePath else {
            throw ClientError(.responseSerializationFailed(.inputDataNilOrZeroLength))
        }
        return URL(filePath: path)
    }

    private static func contents<Serializer: ResponseSerializer>(
        of completion: RequestOutcome, _ serializer: Serializer
    ) throws(ClientError) -> Serializer.Output {
        var completion = completion
        if let path = completion.filePath {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ClientError(.responseSerializationFailed(.inputFileReadFailed))
            }
            completion.data = Array(data)
        }
        return try serializer.result(of: completion).get()
    }

    private func waiting<Value: Sendable>(
        _ isCancelling: Bool, _ make: @escaping Make<Value>
    ) -> DownloadTask<Value> {
        let promise = AsyncPromise<DownloadResponse<Value>>()
        add(make) { promise.fulfil($0) }
        return DownloadTask(request: self, promise: promise, isCancelling: isCancelling)
    }

    private func add<Value: Sendable>(
        _ make: @escaping Make<Value>,
        _ deliver: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) {
        let handler = ResponseHandler { completion, record in
            let result: Result<Value, ClientError>
            do throws(ClientError) {
                if let error = completion.error { throw error }
                result = .success(try make(completion))
            } catch {
                result = .failure(error)
            }
            var timeline = record.timeline
            timeline.serializationCompletedTime = EventLoop.monotonicNow()
            let response = DownloadResponse(
                request: completion.request, response: completion.response,
                fileURL: completion.filePath.map { URL(filePath: $0) },
                resumeData: completion.resumeData, timeline: timeline, result: result,
                attempts: record.attempts)
            return ResponseHandler.Outcome(error: response.error) { deliver(response) }
        }
        core.add(handler, to: self)
    }
}

// Serializing a downloaded file reads all of it into memory.

extension DownloadRequest {
    /// Calls `completionHandler` with the file's bytes on `queue`, or in the request's own task.
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<[UInt8]>) -> Void
    ) -> Self {
        response(using: .data, completionHandler: queue.calling(completionHandler))
    }

    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, charset: Charset? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        response(
            using: StringResponseSerializer(charset: charset),
            completionHandler: queue.calling(completionHandler))
    }

    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, queue: DispatchQueue? = nil,
        decoder: any DataDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        response(
            using: DecodableResponseSerializer(decoder: decoder),
            completionHandler: queue.calling(completionHandler))
    }

    public func serializingString(
        automaticallyCancelling: Bool = true, charset: Charset? = nil
    ) -> DownloadTask<String> {
        serializingDownload(
            using: StringResponseSerializer(charset: charset),
            automaticallyCancelling: automaticallyCancelling)
    }
}
