/// Returns the body as XML to be parsed.
public struct XMLResponseSerializer: ResponseSerializer {
    /// An XML body. The module `ProxydClientFoundation` makes parsers for it.
    public struct Document: Sendable {
        /// The document as bytes.
        public let data: [UInt8]
    }

    /// When an empty body is acceptable.
    public var emptyResponses: EmptyResponsePolicy

    /// Creates a serializer.
    public init(emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()) {
        self.emptyResponses = emptyResponses
    }

    /// The document, not yet parsed.
    public func serialize(_ input: SerializationInput) throws -> Document {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return Document(data: [])
        }
        return Document(data: data)
    }
}

extension ResponseSerializer where Self == XMLResponseSerializer {
    /// The body as XML.
    public static var xml: XMLResponseSerializer { XMLResponseSerializer() }
}
