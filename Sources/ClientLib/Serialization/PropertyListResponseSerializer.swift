internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists

/// Parses the body as a property list, XML or binary.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// Parses the property list.
    public var reader: PropertyListReader
    /// When an empty body is acceptable; the value is then null.
    public var emptyResponses: EmptyResponsePolicy

    /// Creates a serializer.
    public init(
        reader: PropertyListReader = PropertyListReader(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.reader = reader
        self.emptyResponses = emptyResponses
    }

    /// The property list.
    /// - Throws: `.propertyListSerializationFailed`.
    public func serialize(_ input: SerializationInput) throws -> Parameter {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return .null
        }
        do {
            return try reader.read(data)
        } catch {
            throw ClientError(
                .responseSerializationFailed(.propertyListSerializationFailed),
                underlying: error)
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// The body as a property list.
    public static var propertyList: PropertyListResponseSerializer {
        PropertyListResponseSerializer()
    }
}
