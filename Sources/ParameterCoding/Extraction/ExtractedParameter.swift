/// One decoded parameter of a request, in the form that users search for.
public struct ExtractedParameter: Sendable, Hashable {
    /// Where a parameter was found.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// The query of the URL.
        case query
        /// A body of application/x-www-form-urlencoded.
        case form
        /// A leaf of a JSON body; its name is a path such as `a.x[2].y`: see `JSONLeaf`.
        case json
        /// A part of a multipart/form-data body; the value of a file part is its file name.
        case multipart
    }

    /// The part of the request that contains the parameter.
    public let source: Source
    /// The decoded name.
    public let name: String
    /// The decoded value; nil for a bare `flag` and for JSON's null.
    public let value: String?

    /// A parameter of the given name and value.
    public init(source: Source, name: String, value: String?) {
        self.source = source
        self.name = name
        self.value = value
    }
}
