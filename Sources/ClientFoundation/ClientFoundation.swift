public import ClientLib
public import ProxydParameterCoding
public import Foundation
public import FoundationXML

extension NSNull: MixedValue {
    public var mixedParameter: Parameter { .null }
}

extension NSNumber: MixedValue {
    /// The number in the type it was created with.
    public var mixedParameter: Parameter {
        // `c` marks a Boolean.
        switch String(cString: objCType) {
        case "c": .bool(boolValue)
        case "d", "f": .double(doubleValue)
        case "Q": .uint(uint64Value)
        default: .int(int64Value)
        }
    }
}

extension XMLResponseSerializer.Document {
    /// Creates a parser for the bytes, which does not load external entities. Set its delegate and
    /// call `parse()`. Parsers must not be shared between threads, so each call creates a new one.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: Data(data))
        parser.shouldResolveExternalEntities = false
        return parser
    }
}
