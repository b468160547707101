public import FoundationEssentials

/// Decodes values from bytes: any of Foundation's decoders, or your own.
public protocol DataDecoder: Sendable {
    /// Decodes a value of a type.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
