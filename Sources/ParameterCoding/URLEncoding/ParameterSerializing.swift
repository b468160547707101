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
        // Spelled out: `nil` alone would be the parameter of that literal.
        let parameters = tree == .null ? Parameter?.none : tree
        return try encode(parameters, method: method)
    }
}
