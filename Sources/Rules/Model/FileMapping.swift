/// Which files answer requests.
public struct FileMapping: Sendable, Hashable {
    /// What becomes of a request for a file that is not there.
    public enum Missing: Sendable, Hashable {
        /// 404.
        case notFound
        /// The server is asked.
        case forward
    }

    /// The absolute path of a folder, or of one file that answers whatever the request's path is.
    public let path: String
    /// What is taken from the front of the request's path first; empty for nothing.
    public let stripped: String
    /// The file that a folder is answered with.
    public let index: String
    /// What becomes of a request for a file that is not there.
    public let missing: Missing
    /// Field lines that are added.
    public let fields: [RuleField]
}

/// A field line that a rule adds.
public struct RuleField: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String
}
