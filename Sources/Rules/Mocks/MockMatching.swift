public import ProxydParameterCoding

/// Decides which requests are equal for mocks.
///
/// Method, scheme, host, port and path are compared, the pairs of the query in any order, and the
/// body according to its kind. Header fields are compared only if they are named.
public struct MockMatching: Sendable, Hashable {
    /// An invalid entry in one of the lists.
    public struct Mistake: Error, Sendable, Hashable {
        /// The lists of a rule.
        public enum List: Sendable, Hashable {
            /// The list of header fields that are compared.
            case match
            /// The list of values that are ignored.
            case ignore
        }

        /// The list that contains the entry.
        public let list: List
        /// The index of the entry, from 0.
        public let index: Int
        /// A message for the user.
        public let message: String
    }

    /// What is compared if a rule says nothing else.
    package static let standard = MockMatching(
        headers: [], ignoredQuery: [], ignoredForm: [], ignoredJSON: [])

    /// The names of the header fields that are compared, as they were written.
    public let headers: [String]
    /// The names of query pairs that are ignored.
    public let ignoredQuery: Set<String>
    /// The names of form fields and of multipart form parts that are ignored.
    public let ignoredForm: Set<String>
    /// The paths in JSON bodies that are ignored.
    public let ignoredJSON: [JSONValuePath]

    /// Parses the two lists of a rule.
    /// - Parameters:
    ///   - match: `header:NAME` for each field that is compared.
    ///   - ignore: `query:NAME`, `form:NAME` and `json:PATH` for values that are ignored.
    /// - Throws: the first invalid entry.
    public init(match: [String] = [], ignore: [String] = []) throws(Mistake) {
        var headers: [String] = []
        for (index, entry) in match.enumerated() {
            guard let name = MockMatching.rest(of: entry, after: "header:"),
                name.utf8.allSatisfy(MockMatching.isToken)
            else {
                let message = "cannot match \(entry): write header:NAME"
                throw Mistake(list: .match, index: index, message: message)
            }
            headers.append(name)
        }
        var (query, form, json): (Set<String>, Set<String>, [JSONValuePath]) = ([], [], [])
        for (index, entry) in ignore.enumerated() {
            if let name = MockMatching.rest(of: entry, after: "query:") {
                query.insert(name)
            } else if let name = MockMatching.rest(of: entry, after: "form:") {
                form.insert(name)
            } else if let text = MockMatching.rest(of: entry, after: "json:") {
                guard let path = try? JSONValuePath(text) else {
                    let message = "\(text) is not a JSON path such as user.tags[0]"
                    throw Mistake(list: .ignore, index: index, message: message)
                }
                json.append(path)
            } else {
                let message =
                    "cannot ignore \(entry): write "
                    + "query:NAME, form:NAME or json:PATH"
                throw Mistake(list: .ignore, index: index, message: message)
            }
        }
        self.headers = headers
        ignoredQuery = query
        ignoredForm = form
        ignoredJSON = json
    }

    private init(
        headers: [String], ignoredQuery: Set<String>, ignoredForm: Set<String>,
        ignoredJSON: [JSONValuePath]
    ) {
        self.headers = headers
        self.ignoredQuery = ignoredQuery
        self.ignoredForm = ignoredForm
        self.ignoredJSON = ignoredJSON
    }

    private static func rest(of entry: String, after prefix: String) -> String? {
        guard entry.hasPrefix(prefix) else { return nil }
        let rest = String(entry.dropFirst(prefix.count))
        return rest.isEmpty ? nil : rest
    }

    /// Whether a byte is allowed in a field name (RFC 9110 §5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
