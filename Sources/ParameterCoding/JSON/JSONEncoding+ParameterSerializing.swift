extension JSONEncoding: ParameterSerializing {
    /// The body for a request of the given method, or its query where there is a
    /// `queryEncoding` for the method. No parameters leave the request alone.
    /// - Throws: `JSONWritingError`, or what the `queryEncoding` throws.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard let parameters else { return EncodedParameters() }
        if var queryEncoding, queryEncoding.isQueryMethod(method) {
            queryEncoding.destination = .queryString
            return try queryEncoding.encode(parameters, method: method)
        }
        return EncodedParameters(
            body: try writer.write(parameters), contentType: JSONEncoding.contentType)
    }
}
