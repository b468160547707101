internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists

/// Reads the body as a property list, XML or binary.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// Reads it.
    public var reader: PropertyListReader
    /// When an empty body is acceptable: then the value is null.
    public var emptyResponses: EmptyResponsePolicy

    /// A serializer.
    public init(
        reader: PropertyListReader = PropertyListReader(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.reader = reader
        self.emptyResponses = emptyResponses
    }

    /// The value.
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
