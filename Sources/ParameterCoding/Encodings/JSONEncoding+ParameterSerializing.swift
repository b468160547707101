extension JSONEncoding: ParameterSerializing {
    /// The body for a request of the given method, or its query where there is a
    /// `queryEncoding` for the method. No parameters leave the request alone.
    /// - Throws: `ParameterEncodingError` with the key of a value that cannot be written, else
    ///   `JSONWritingError`, or what the `queryEncoding` throws.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard let parameters else { return EncodedParameters() }
        if var queryEncoding, queryEncoding.isQueryMethod(method) {
            queryEncoding.destination = .queryString
            return try queryEncoding.encode(parameters, method: method)
        }
        do {
            let body = try writer.write(parameters)
            return EncodedParameters(body: body, contentType: JSONEncoding.contentType)
        } catch {
            throw JSONEncoding.refusal(of: parameters, error) ?? error
        }
    }

    /// The error with the key of the value; nil if it has no key.
    private static func refusal(
        of parameters: Parameter, _ error: JSONWritingError
    ) -> (any Error)? {
        switch error {
        case .notFinite: parameters.refusalOfNotFinite()
        case .badNumber(let text): parameters.refusalOfDecimal(text)
        case .dateOutOfRange(let date): parameters.refusalOfDate(date)
        case .tooDeep: nil
        }
    }
}
