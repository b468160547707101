internal import ProxydHTTPModel

/// Gives the body as it is.
public struct DataResponseSerializer: ResponseSerializer {
    /// When an empty body is acceptable.
    public var emptyResponses: EmptyResponsePolicy
    /// What is done to the body first.
    public var preprocessor: any DataPreprocessor

    /// A serializer.
    public init(
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The body.
    public func serialize(_ input: SerializationInput) throws -> [UInt8] {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return []
        }
        return try preprocessor.preprocess(data)
    }
}
