/// Encodes parameters into the query or the body of a request, or both.
public protocol ParameterSerializing: Sendable {
    /// Encodes parameters for a request with the given method; nil means no parameters.
    func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters
}

extension ParameterSerializing {
    /// Encodes any value as parameters; an optional that is nil means no parameters.
    /// - Throws: `ParameterEncodingError`, or an error of the value or of a custom rule.
    public func encode(value: some Encodable, method: String) throws -> EncodedParameters {
        let tree = try ParameterTreeEncoder().encode(value)
        // Written explicitly: `nil` alone would be the `Parameter` literal for null.
        let parameters = tree == .null ? Parameter?.none : tree
        return try encode(parameters, method: method)
    }
}

/// The parts of a request that carry its parameters.
public struct EncodedParameters: Sendable, Hashable {
    /// Pairs to add to the URL's query with `URLQuery.joined`; nil to leave the URL unchanged.
    public var query: [UInt8]?
    /// How `URLQuery.joined` treats the existing query.
    public var existingQuery: URLQuery.Existing
    /// The body; nil to leave it unchanged, which differs from an empty one.
    public var body: [UInt8]?
    /// The Content-Type to set if the request has none; nil to leave it unchanged.
    public var contentType: String?
    public var warnings: [ParameterWarning]

    /// Nil leaves the part of the request unchanged.
    public init(
        query: [UInt8]? = nil, body: [UInt8]? = nil,
        contentType: String? = nil, warnings: [ParameterWarning] = [],
        existingQuery: URLQuery.Existing = .asGiven
    ) {
        self.existingQuery = existingQuery
        self.query = query
        self.body = body
        self.contentType = contentType
        self.warnings = warnings
    }
}

/// An encoding that was requested but that a receiver may interpret differently.
public enum ParameterWarning: Sendable, Hashable, CustomStringConvertible {
    /// Objects in the array or set with this key: the boundaries between them are not sent.
    case arrayOfObjects(key: String)
    /// Arrays or sets in the array or set with this key: the boundaries between them are not sent.
    case arrayOfArrays(key: String)

    public var description: String {
        switch self {
        case .arrayOfObjects(let key):
            "the objects in the array “\(key)” run together: send arrays as JSON or with indices"
        case .arrayOfArrays(let key):
            "the arrays in the array “\(key)” run together: send arrays as JSON or with indices"
        }
    }
}

public struct JSONEncoding: Sendable {
    public var writer: JSONWriter
    /// Encodes the parameters of methods whose parameters go into the query, regardless of its
    /// destination; nil writes a body for every method.
    public var queryEncoding: URLEncoding?

    /// The Content-Type if the request has none.
    public static let contentType = "application/json"

    /// One line, with members in the given order.
    public static let `default` = JSONEncoding()
    /// Indented by two spaces, with members in the given order.
    public static let prettyPrinted = JSONEncoding(writer: JSONWriter(indentationByteCount: 2))
    /// One line, members sorted at every level.
    public static let sortedKeys = JSONEncoding(writer: JSONWriter(keyOrder: .sorted))
    /// The format of Alamofire's `JSONEncoding`: slashes escaped, `1.0` as `1`. Its order of
    /// members is random; here it is as given.
    public static let alamofire = JSONEncoding(
        writer: JSONWriter(escapesSlashes: true, writesWholeDoublesAsIntegers: true)
    )
    /// The format of AFNetworking's `AFJSONRequestSerializer`: GET, HEAD and DELETE use the query.
    public static let afNetworking = JSONEncoding(
        writer: alamofire.writer, queryEncoding: .afNetworking)

    public init(writer: JSONWriter = JSONWriter(), queryEncoding: URLEncoding? = nil) {
        self.writer = writer
        self.queryEncoding = queryEncoding
    }

    /// - Throws: if a value cannot be represented in JSON.
    public func encode(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        try writer.write(parameter)
    }
}

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

/// Sends parameters in both the query and the body.
///
/// As a `ParameterSerializing` it encodes its argument into the body, and `queryParameters` into
/// the query.
public struct CompositeEncoding: ParameterSerializing {
    /// Encodes the parameters of the query, regardless of its destination.
    public var query: URLEncoding
    public var body: any ParameterSerializing
    /// The parameters for the query if only those of the body are given; nil for none.
    public var queryParameters: Parameter?

    public init(
        query: URLEncoding = .queryString, queryParameters: Parameter? = nil,
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
        query queryParameters: Parameter?, body bodyParameters: Parameter?, method: String
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
