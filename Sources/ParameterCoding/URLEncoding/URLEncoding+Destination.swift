extension URLEncoding {
    /// Whether the pairs go into the query or the body.
    public enum Destination: Sendable, Hashable {
        /// Into the query for the methods of `queryMethods`, into the body for all others.
        case methodDependent
        /// Into the query.
        case queryString
        /// Into the body.
        case httpBody
    }
}
