/// Turns parameters into what a request carries of them: a query, a body, or both.
public protocol ParameterSerializing: Sendable {
    /// Encodes parameters for a request of the given method; nil for none at all.
    func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters
}

extension ParameterSerializing {
    /// Encodes any value as parameters; an optional without value is none at all.
    /// - Throws: `ParameterEncodingError`, or what the value or a custom rule throws.
    public func encode(
        value: some Encodable,
        method: String
    ) throws -> EncodedParameters {
        let tree = try ParameterTreeEncoder().encode(value)
        return try encode(tree == .null ? nil : tree, method: method)
    }
}
