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
    /// Encodings that a receiver may interpret differently.
    public var warnings: [ParameterWarning]

    /// Creates encoded parts; nil leaves the part of the request unchanged.
    public init(
        query: [UInt8]? = nil,
        body: [UInt8]? = nil,
        contentType: String? = nil,
        warnings: [ParameterWarning] = [],
        existingQuery: URLQuery.Existing = .asGiven
    ) {
        self.existingQuery = existingQuery
        self.query = query
        self.body = body
        self.contentType = contentType
        self.warnings = warnings
    }
}
