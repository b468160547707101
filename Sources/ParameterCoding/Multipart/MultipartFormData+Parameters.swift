extension MultipartFormData {
    /// The rules for names and texts of parts made from parameters: those of
    /// `URLEncoding.default`, and a null is an empty part.
    public static let parameterEncoding: URLEncoding = {
        var encoding = URLEncoding.default
        encoding.nulls = .dropValue
        return encoding
    }()

    /// Adds a part for each pair that a form would have: names as in a form (`a[b]`, `a[]`), text
    /// as UTF-8, data as its octets, a null as an empty part.
    ///
    /// How pairs are escaped, and how spaces are, does not matter here: parts are not escaped.
    /// Inside arrays that are sent as JSON, data is text as the encoding says.
    /// - Returns: what a receiver may understand differently.
    /// - Throws: `ParameterEncodingError`, or what a custom rule throws.
    @discardableResult
    public mutating func append(
        parameters: Parameter,
        encoding: URLEncoding = parameterEncoding
    ) throws -> [ParameterWarning] {
        guard case .object = parameters else { throw ParameterEncodingError.rootIsNotObject }
        var encoding = encoding
        encoding.destination = .httpBody
        encoding.escapes = .strict
        encoding.spaces = .percentEscaped
        let resolved = ParameterOctets(arraysAreJSON: encoding.arrays.isJSON).escaped(parameters)
        let encoded = try encoding.encode(resolved, method: "POST")
        let pairs = encoded.body ?? []
        var scanner = PairScanner()
        var decoder = PercentDecoder(text: OctetText(), plusIsSpace: false)
        while let ranges = scanner.next(in: pairs.span) {
            let value = ranges.value.map { decoder.decodedOctets(pairs.span, $0) }
            append(value ?? [], name: decoder.decodedText(pairs.span, ranges.name))
        }
        return encoded.warnings
    }
}

/// Turns octets in parameters into pairs' values that decode to just these octets.
private struct ParameterOctets {
    let arraysAreJSON: Bool

    func escaped(_ value: Parameter, depth: Int = 0) -> Parameter {
        // The encoder throws for what is deeper.
        guard depth <= URLEncoding.depthMax else { return value }
        switch value {
        case .data(let octets), .raw(let octets):
            return .raw(EscapeSet.strict.encoded(octets))
        case .object(let members):
            return .object(members.map { .init($0.name, escaped($0.value, depth: depth + 1)) })
        case .array(let elements) where !arraysAreJSON:
            return .array(elements.map { escaped($0, depth: depth + 1) })
        case .set(let elements) where !arraysAreJSON:
            return .set(elements.map { escaped($0, depth: depth + 1) })
        default:
            return value
        }
    }
}

extension URLEncoding.ArrayEncoding {
    fileprivate var isJSON: Bool {
        if case .json = self { return true }
        return false
    }
}
