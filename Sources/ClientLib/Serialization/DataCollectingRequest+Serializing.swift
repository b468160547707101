public import ProxydCharsets
internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydParameterCoding
public import Dispatch
public import FoundationEssentials

extension DataCollectingRequest {
    // Both are inlined so that the methods below, and similar ones, give the compiler the concrete
    // type of their serializer.

    /// Waits for the value from a serializer.
    @inline(__always)
    public func serializing<Serializer: ResponseSerializer>(
        _ serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.Output> {
        DataSerializing(request: self).task(serializer, isCancelling: automaticallyCancelling)
    }

    /// Calls `handler` with the value from a serializer.
    @inline(__always)
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> Self {
        DataSerializing(request: self).add(serializer, completionHandler)
        return self
    }

    public func serializingData(
        automaticallyCancelling: Bool = true,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) -> DataTask<[UInt8]> {
        serializing(
            DataResponseSerializer(preprocessor: preprocessor, emptyResponses: emptyResponses),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `handler` with the body on `queue`, or in the request's own task.
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponsePolicy.usualResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponsePolicy.usualRequestMethods,
        completionHandler: @escaping @Sendable (DataResponse<[UInt8]>) -> Void
    ) -> Self {
        response(
            using: DataResponseSerializer(
                preprocessor: dataPreprocessor,
                emptyResponses: EmptyResponsePolicy(
                    requestMethods: emptyRequestMethods, responseCodes: emptyResponseCodes)),
            completionHandler: queue.calling(completionHandler))
    }
}

extension ResponseSerializer {
    /// The value, or the first error: the request's own takes precedence over the serializer's.
    func result(of completion: RequestOutcome) -> Result<Output, ClientError> {
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

extension DataCollectingRequest {
    public func serializingString(
        automaticallyCancelling: Bool = true, charset: Charset? = nil,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) -> DataTask<String> {
        serializing(
            StringResponseSerializer(
                charset: charset, preprocessor: preprocessor, emptyResponses: emptyResponses),
            automaticallyCancelling: automaticallyCancelling)
    }

    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true,
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) -> DataTask<Value> {
        serializing(
            DecodableResponseSerializer(
                decoder: decoder, preprocessor: preprocessor, emptyResponses: emptyResponses),
            automaticallyCancelling: automaticallyCancelling)
    }

    public func serializingJSON(automaticallyCancelling: Bool = true) -> DataTask<JSONValue> {
        serializing(.json, automaticallyCancelling: automaticallyCancelling)
    }

    public func serializingPropertyList(
        automaticallyCancelling: Bool = true
    ) -> DataTask<Parameter> {
        serializing(.propertyList, automaticallyCancelling: automaticallyCancelling)
    }

    /// Waits for the end, whatever the body is: an empty body is not an error.
    public func serializingResponse(automaticallyCancelling: Bool = true) -> DataTask<[UInt8]?> {
        serializing(ClosureSerializer { $0.data }, automaticallyCancelling: automaticallyCancelling)
    }

    /// Calls `completionHandler` at the end, whatever the body is, on `queue` or in the request's
    /// own task.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DataResponse<[UInt8]?>) -> Void
    ) -> Self {
        response(
            using: ClosureSerializer { $0.data },
            completionHandler: queue.calling(completionHandler))
    }

    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), charset: Charset? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponsePolicy.usualResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponsePolicy.usualRequestMethods,
        completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        response(
            using: StringResponseSerializer(
                charset: charset, preprocessor: dataPreprocessor,
                emptyResponses: EmptyResponsePolicy(
                    requestMethods: emptyRequestMethods, responseCodes: emptyResponseCodes)),
            completionHandler: queue.calling(completionHandler))
    }

    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, queue: DispatchQueue? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        decoder: any DataDecoder = JSONDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponsePolicy.usualResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponsePolicy.usualRequestMethods,
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        response(
            using: DecodableResponseSerializer(
                decoder: decoder, preprocessor: dataPreprocessor,
                emptyResponses: EmptyResponsePolicy(
                    requestMethods: emptyRequestMethods, responseCodes: emptyResponseCodes)),
            completionHandler: queue.calling(completionHandler))
    }

    @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
    ) -> Self {
        response(using: .json, completionHandler: queue.calling(completionHandler))
    }
}

/// Makes values from the response that a request has collected.
///
/// This is not part of the request protocol: it does not depend on the request's type, so the
/// compiler can specialise it for each of the library's serializers, without type metadata at run
/// time.
struct DataSerializing {
    let request: any ClientRequest

    func task<Serializer: ResponseSerializer>(
        _ serializer: Serializer, isCancelling: Bool
    ) -> DataTask<Serializer.Output> {
        let promise = AsyncPromise<DataResponse<Serializer.Output>>()
        add(serializer) { promise.fulfil($0) }
        let cancelled = isCancelling ? request : nil
        return DataTask(request: request) { await promise.value(cancelling: cancelled) }
    }

    func add<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ deliver: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) {
        let handler = ResponseHandler { completion, record in
            let result = serializer.result(of: completion)
            var timeline = record.timeline
            timeline.serializationCompletedTime = EventLoop.monotonicNow()
            let response = DataResponse(
                request: completion.request, response: completion.response,
                data: completion.data, timeline: timeline, result: result, attempts: record.attempts
            )
            return ResponseHandler.Outcome(error: response.error) { deliver(response) }
        }
        request.core.add(handler, to: request)
    }
}

/// Queues on which handlers are called; nil means the request's own task.
extension Optional where Wrapped == DispatchQueue {
    func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        guard let queue = self else { return try body() }
        try await withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Calls `body`, possibly later.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        guard let queue = self else { return body() }
        queue.async(execute: body)
    }

    func calling<Value: Sendable>(
        _ handler: @escaping @Sendable (Value) -> Void
    ) -> @Sendable (Value) -> Void {
        guard let queue = self else { return handler }
        return { value in queue.async { handler(value) } }
    }
}
