/// Sends parameters in both the query and the body.
///
/// As a `ParameterSerializing` it encodes its argument into the body, and `queryParameters` into
/// the query.
public struct CompositeEncoding: ParameterSerializing {
    /// Encodes the parameters of the query, regardless of its destination.
    public var query: URLEncoding
    /// Encodes the parameters of the body.
    public var body: any ParameterSerializing
    /// The parameters for the query if only those of the body are given; nil for none.
    public var queryParameters: Parameter?

    /// Combines an encoding for the query with one for the body.
    public init(
        query: URLEncoding = .queryString,
        queryParameters: Parameter? = nil,
        body: any ParameterSerializing
    ) {
        self.query = query
        self.queryParameters = queryParameters
        self.body = body
    }

    /// Encodes parameters of the body together with the `queryParameters`.
    /// - Throws: what `encode(query:body:method:)` throws.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        try encode(query: queryParameters, body: parameters, method: method)
    }

    /// Encodes both for a request of the given method.
    /// - Throws: `.bodyEncodingMakesNoBody` where the encoding of the body fills the query,
    ///   and what the two encodings throw.
    public func encode(
        query queryParameters: Parameter?,
        body bodyParameters: Parameter?,
        method: String
    ) throws -> EncodedParameters {
        var query = query
        query.destination = .queryString
        let inQuery = try query.encode(queryParameters, method: method)
        var encoded = try body.encode(bodyParameters, method: method)
        guard encoded.query == nil, encoded.body != nil || bodyParameters == nil else {
            throw ParameterEncodingError.bodyEncodingMakesNoBody
        }
        encoded.query = inQuery.query
        encoded.existingQuery = inQuery.existingQuery
        encoded.warnings = inQuery.warnings + encoded.warnings
        return encoded
    }
}
