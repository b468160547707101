public import ClientLib
internal import Foundation
public import FoundationXML

extension XMLResponseSerializer.Document {
    /// Creates a parser for the bytes, which does not load external entities. Set its delegate and
    /// call `parse()`. Parsers must not be shared between threads, so each call creates a new one.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: Data(data))
        parser.shouldResolveExternalEntities = false
        return parser
    }
}
