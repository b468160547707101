extension MultipartFormData {
    /// The rules for names and texts of parts made from parameters: those of
    /// `URLEncoding.default`, and a null is an empty part.
    public static let parameterEncoding: URLEncoding = {
        var encoding = URLEncoding.default
        encoding.nulls = .dropValue
        return encoding
    }()

    /// Appends a part for each pair that a form would have: names as in a form (`a[b]`, `a[]`),
    /// text as UTF-8, data as its bytes, a null as an empty part.
    ///
    /// The escaping of pairs and spaces has no effect: parts are not escaped. Inside arrays that
    /// are sent as JSON, data is text as the encoding specifies.
    /// - Returns: encodings that a receiver may interpret differently.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
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
        let resolved = ParameterBytes(arraysAreJSON: encoding.arrays.isJSON).escaped(parameters)
        let encoded = try encoding.encode(resolved, method: "POST")
        let pairs = encoded.body ?? []
        var scanner = PairScanner()
        var decoder = PercentDecoder(text: ByteText(), plusIsSpace: false)
        while let ranges = scanner.next(in: pairs.span) {
            let value = ranges.value.map { decoder.decodedBytes(pairs.span, $0) }
            append(value ?? [], name: decoder.decodedText(pairs.span, ranges.name))
        }
        return encoded.warnings
    }
}

/// Converts data in parameters to values of pairs that decode to exactly these bytes.
private struct ParameterBytes {
    let arraysAreJSON: Bool

    func escaped(_ value: Parameter, depth: Int = 0) -> Parameter {
        // The encoder rejects deeper values.
        guard depth <= URLEncoding.depthMax else { return value }
        switch value {
        case .data(let bytes), .raw(let bytes):
            return .raw(EscapeSet.strict.encoded(bytes))
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
