/// Encodes parameters into the query or the body of a request, or both.
public protocol ParameterSerializing: Sendable {
    /// Encodes parameters for a request with the given method; nil means no parameters.
    func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters
}

extension ParameterSerializing {
    /// Encodes any value as parameters; an optional that is nil means no parameters.
    /// - Throws: `ParameterEncodingError`, or an error of the value or of a custom rule.
    public func encode(
        value: some Encodable,
        method: String
    ) throws -> EncodedParameters {
        let tree = try ParameterTreeEncoder().encode(value)
        // Written explicitly: `nil` alone would be the `Parameter` literal for null.
        let parameters = tree == .null ? Parameter?.none : tree
        return try encode(parameters, method: method)
    }
}
