extension URLEncoding: ParameterSerializing {
    /// Encodes parameters for a request of the given method, whose name is compared as it is
    /// unless `ignoresMethodCase` says otherwise.
    /// - Throws: `ParameterEncodingError`, or what a custom rule throws.
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

    /// The octets of the pairs, wherever they go.
    /// - Throws: `ParameterEncodingError`, or what a custom rule throws.
    public func octets(_ parameters: Parameter) throws -> [UInt8] {
        var writer = FormWriter(encoding: self)
        try writer.write(root: parameters)
        return writer.output
    }

    /// Whether parameters of a method go into the query where that depends on the method.
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
