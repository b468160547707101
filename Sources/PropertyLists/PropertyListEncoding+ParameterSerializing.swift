public import ProxydParameterCoding

extension PropertyListEncoding: ParameterSerializing {
    /// The body for a request, regardless of its method. Without parameters the request is
    /// unchanged.
    /// - Throws: `ParameterEncodingError` with the key of a number or date that cannot be written,
    ///   otherwise `PropertyListWritingError`.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard let parameters else { return EncodedParameters() }
        do {
            let body = try PropertyListWriter(format: format).write(parameters)
            return EncodedParameters(body: body, contentType: PropertyListEncoding.contentType)
        } catch {
            throw PropertyListEncoding.refusal(of: parameters, error) ?? error
        }
    }

    /// The error with the key of the value; nil if it has no key.
    private static func refusal(
        of parameters: Parameter, _ error: PropertyListWritingError
    ) -> (any Error)? {
        switch error {
        case .notFinite: parameters.refusalOfNotFinite()
        case .badNumber(let text): parameters.refusalOfDecimal(text)
        case .dateOutOfRange(let date): parameters.refusalOfDate(date)
        case .nullHasNoForm, .rawHasNoForm, .textHasNoForm, .tooDeep: nil
        }
    }
}
