internal import ProxydHTTPModel
public import ProxydParameterCoding

/// Parses the body as JSON that keeps its order, duplicates and digits.
public struct JSONResponseSerializer: ResponseSerializer {
    /// Limits on the size and nesting of the text.
    public var limits: JSONLimits
    /// Whether members with the value null are removed, at every level.
    public var removesMembersWithNull: Bool
    /// When an empty body is acceptable; the value is then null.
    public var emptyResponses: EmptyResponsePolicy
    /// Transforms the body first.
    public var preprocessor: any DataPreprocessor

    /// Creates a serializer.
    public init(
        limits: JSONLimits = JSONLimits(), removesMembersWithNull: Bool = false,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.limits = limits
        self.removesMembersWithNull = removesMembersWithNull
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The value; any JSON value is allowed at the top level.
    /// - Throws: `.jsonSerializationFailed` with the position of the error.
    public func serialize(_ input: SerializationInput) throws -> JSONValue {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return .null
        }
        let bytes = try preprocessor.preprocess(data)
        do {
            let value = try JSONReader(limits: limits).read(bytes)
            return removesMembersWithNull ? Self.withoutNulls(value) : value
        } catch {
            throw ClientError(
                .responseSerializationFailed(.jsonSerializationFailed), underlying: error)
        }
    }

    /// Recursion is safe because the limits bound the nesting.
    private static func withoutNulls(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.filter { $0.value != .null }
                    .map { JSONValue.Member(name: $0.name, value: withoutNulls($0.value)) })
        case .array(let elements): .array(elements.map(withoutNulls))
        default: value
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// The body as JSON.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}
