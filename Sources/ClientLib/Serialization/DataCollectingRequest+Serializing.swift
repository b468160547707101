internal import EventLoops
internal import HTTPModel

extension DataCollectingRequest {
    /// Waits for a value that a serializer makes.
    public func serializing<Serializer: ResponseSerializer>(
        _ serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.Output> {
        let promise = Promise<DataResponse<Serializer.Output>>()
        addHandler(serializer) { promise.fulfil($0) }
        return DataTask(request: self, promise: promise, isCancelling: automaticallyCancelling)
    }

    /// Waits for the body.
    public func serializingData(
        automaticallyCancelling: Bool = true,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) -> DataTask<[UInt8]> {
        serializing(
            DataResponseSerializer(preprocessor: preprocessor, emptyResponses: emptyResponses),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `handler` with the value that a serializer makes.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> Self {
        addHandler(serializer, completionHandler)
        return self
    }

    /// Calls `handler` with the body.
    @discardableResult
    public func responseData(
        completionHandler: @escaping @Sendable (DataResponse<[UInt8]>) -> Void
    ) -> Self {
        response(using: DataResponseSerializer(), completionHandler: completionHandler)
    }

    private func addHandler<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ deliver: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) {
        let handler = ResponseHandler { completion, handle in
            let result = serializer.result(of: completion)
            var (timeline, attempts) = handle.core.read { (RequestTimeline($0), $0.attempts) }
            timeline.serializationCompletedTime = EventLoop.monotonicNow()
            let response = DataResponse(
                request: completion.request, response: completion.response,
                data: completion.data, timeline: timeline, result: result, attempts: attempts)
            return ResponseHandler.Outcome(error: response.error) { deliver(response) }
        }
        core.add(handler, to: self)
    }
}

extension ResponseSerializer {
    /// The value, or the first error: the request's own before the serializer's.
    func result(of completion: Completion) -> Result<Output, ClientError> {
        if let error = completion.error { return .failure(error) }
        let input = SerializationInput(
            request: completion.request, response: completion.response, data: completion.data)
        do {
            return .success(try serialize(input))
        } catch {
            return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
        }
    }
}
