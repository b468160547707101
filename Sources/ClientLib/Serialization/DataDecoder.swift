public import Foundation

/// Decodes values from bytes: any of Foundation's decoders, or one of your own.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
