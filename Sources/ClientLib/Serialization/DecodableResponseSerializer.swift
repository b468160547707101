public import FoundationEssentials
internal import ProxydHTTPModel

/// Decodes the body with a decoder.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// Decodes the body.
    public var decoder: any DataDecoder
    /// When an empty body is acceptable; the type then needs an empty value.
    public var emptyResponses: EmptyResponsePolicy
    /// Transforms the body first.
    public var preprocessor: any DataPreprocessor

    /// Creates a serializer; the default decoder is JSON.
    public init(
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The decoded value.
    /// - Throws: `.decodingFailed` with the decoder's error, `.inputDataNilOrZeroLength`,
    ///   `.invalidEmptyResponse`.
    public func serialize(_ input: SerializationInput) throws -> Value {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            guard let type = Value.self as? any EmptyResponse.Type,
                let value = type.emptyValue() as? Value
            else {
                throw ClientError(
                    .responseSerializationFailed(.invalidEmptyResponse(type: "\(Value.self)")))
            }
            return value
        }
        let bytes = try preprocessor.preprocess(data)
        do {
            return try decoder.decode(Value.self, from: Data(bytes))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
        }
    }
}
