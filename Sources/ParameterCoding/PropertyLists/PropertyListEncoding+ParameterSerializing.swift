extension PropertyListEncoding: ParameterSerializing {
    /// The body for a request, whatever its method. No parameters leave the request alone.
    /// - Throws: `PropertyListWritingError`.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard let parameters else { return EncodedParameters() }
        let body = try PropertyListWriter(format: format).write(parameters)
        return EncodedParameters(body: body, contentType: PropertyListEncoding.contentType)
    }
}
