extension URLEncoding: ParameterSerializing {
    /// Encodes parameters for a request with the given method, whose name is case-sensitive unless
    /// `ignoresMethodCase` is set.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
    public func encode(
        _ parameters: Parameter?,
        method: String
    ) throws -> EncodedParameters {
        guard parameters != nil || absentParameters == .actAsEmpty else {
            return EncodedParameters()
        }
        var writer = FormWriter(encoding: self)
        try writer.write(root: parameters ?? .object([]))
        var encoded = EncodedParameters()
        encoded.warnings = writer.warnings
        if goesIntoQuery(method) {
            guard !writer.output.isEmpty else { return encoded }
            encoded.existingQuery = existingQuery
            encoded.query = writer.output
        } else {
            encoded.body = writer.output
            encoded.contentType = contentType
        }
        return encoded
    }

    /// The bytes of the pairs, regardless of their destination.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
    public func bytes(_ parameters: Parameter) throws -> [UInt8] {
        var writer = FormWriter(encoding: self)
        try writer.write(root: parameters)
        return writer.output
    }

    /// Whether the parameters go into the query if the destination depends on the method.
    func isQueryMethod(_ method: String) -> Bool {
        queryMethods.contains(method)
            || ignoresMethodCase && queryMethods.contains(method.uppercased())
    }

    private func goesIntoQuery(_ method: String) -> Bool {
        switch destination {
        case .methodDependent: isQueryMethod(method)
        case .queryString: true
        case .httpBody: false
        }
    }
}
