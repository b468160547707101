public import Dispatch
public import ProxydHTTPModel

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
