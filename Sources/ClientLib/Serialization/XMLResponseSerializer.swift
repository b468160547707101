internal import Foundation
public import FoundationXML

/// Returns the body as XML to be parsed.
public struct XMLResponseSerializer: ResponseSerializer {
    /// An XML body. Parsers must not be shared between threads, so each call creates a new one.
    public struct Document: Sendable {
        /// The document as bytes.
        public let data: [UInt8]

        /// Creates a parser for the bytes, which does not load external entities. Set its delegate
        /// and call `parse()`.
        public func makeParser() -> XMLParser {
            let parser = XMLParser(data: Data(data))
            parser.shouldResolveExternalEntities = false
            return parser
        }
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
