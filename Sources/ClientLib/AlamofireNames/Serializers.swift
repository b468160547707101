public import Dispatch

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
        response(
            using: responseSerializer, completionHandler: queue.calling(completionHandler))
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
        response(
            using: responseSerializer, completionHandler: queue.calling(completionHandler))
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
