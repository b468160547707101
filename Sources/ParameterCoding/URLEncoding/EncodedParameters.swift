/// What a request carries of its parameters.
public struct EncodedParameters: Sendable, Hashable {
    /// Pairs to join with the URL's query by `URLQuery.joined`; nil to leave the URL alone.
    public var query: [UInt8]?
    /// What `URLQuery.joined` is to do to the query that is there already.
    public var existingQuery: URLQuery.Existing
    /// The body; nil to leave it alone, which is not the same as an empty one.
    public var body: [UInt8]?
    /// The Content-Type to set where the request has none; nil to leave it alone.
    public var contentType: String?
    /// What a receiver may understand differently.
    public var warnings: [ParameterWarning]

    /// Parts that leave alone what is nil.
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
