internal import ProxydHTTPModel

/// Returns the body unchanged.
public struct DataResponseSerializer: ResponseSerializer {
    /// When an empty body is acceptable.
    public var emptyResponses: EmptyResponsePolicy
    /// Transforms the body first.
    public var preprocessor: any DataPreprocessor

    /// Creates a serializer.
    public init(
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The body as bytes.
    public func serialize(_ input: SerializationInput) throws -> [UInt8] {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return []
        }
        return try preprocessor.preprocess(data)
    }
}
