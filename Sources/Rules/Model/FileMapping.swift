/// The files that answer requests.
public struct FileMapping: Sendable, Hashable {
    /// What happens to a request for a file that does not exist.
    public enum Missing: Sendable, Hashable {
        /// The client gets 404.
        case notFound
        /// The request is forwarded to its server.
        case forward
    }

    /// The absolute path of a folder, or of one file that answers every request path.
    public let path: String
    /// The prefix that is removed from the request's path first; empty for none.
    public let stripped: String
    /// The file that is served for a folder.
    public let index: String
    /// What happens to a request for a file that does not exist.
    public let missing: Missing
    /// Header fields that are added.
    public let fields: [RuleField]
}

/// A header field that a rule adds.
public struct RuleField: Sendable, Hashable {
    /// The name of the field.
    public let name: String
    /// The value of the field.
    public let value: String
}
