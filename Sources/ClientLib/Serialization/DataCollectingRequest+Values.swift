public import ProxydCharsets
public import Dispatch
public import FoundationEssentials
public import ProxydHTTPModel
public import ProxydParameterCoding
internal import ProxydPropertyLists

extension DataCollectingRequest {
    /// Waits for the body as text.
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

    /// Waits for the body as a decoded value.
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

    /// Waits for the body as JSON.
    public func serializingJSON(automaticallyCancelling: Bool = true) -> DataTask<JSONValue> {
        serializing(.json, automaticallyCancelling: automaticallyCancelling)
    }

    /// Waits for the body as a property list.
    public func serializingPropertyList(
        automaticallyCancelling: Bool = true
    ) -> DataTask<Parameter> {
        serializing(.propertyList, automaticallyCancelling: automaticallyCancelling)
    }

    /// Waits for the end, whatever the body is: an empty body is not an error.
    public func serializingResponse(
        automaticallyCancelling: Bool = true
    ) -> DataTask<[UInt8]?> {
        serializing(
            ClosureSerializer { $0.data }, automaticallyCancelling: automaticallyCancelling)
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

    /// Calls `completionHandler` with the body as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        charset: Charset? = nil,
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

    /// Calls `completionHandler` with the body as a decoded value.
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

    /// Calls `completionHandler` with the body as JSON.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
    ) -> Self {
        response(using: .json, completionHandler: queue.calling(completionHandler))
    }
}
