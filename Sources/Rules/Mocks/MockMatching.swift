public import ProxydParameterCoding

/// What makes two requests the same for mocks.
///
/// Method, scheme, host, port and path count, the pairs of the query in any order, and the body by
/// its kind. Fields count where they are named.
public struct MockMatching: Sendable, Hashable {
    /// What is wrong with an entry of one of the lists.
    public struct Mistake: Error, Sendable, Hashable {
        /// Which list.
        public enum List: Sendable, Hashable {
            /// What counts besides.
            case match
            /// What is left out.
            case ignore
        }

        /// Which list.
        public let list: List
        /// Which of its entries, from 0.
        public let index: Int
        /// In words for a person.
        public let message: String
    }

    /// The names of the fields that count, as they were written.
    public let headers: [String]
    /// The names of the query's pairs that do not count.
    public let ignoredQuery: Set<String>
    /// The names of a form's fields and of a multipart form's parts that do not count.
    public let ignoredForm: Set<String>
    /// The places in JSON bodies that do not count.
    public let ignoredJSON: [JSONValuePath]

    /// Reads the two lists of a rule.
    /// - Parameters:
    ///   - match: `header:NAME` for each field that counts.
    ///   - ignore: `query:NAME`, `form:NAME` and `json:PATH` for what does not.
    /// - Throws: the first entry that is nothing of these.
    public init(match: [String] = [], ignore: [String] = []) throws(Mistake) {
        var headers: [String] = []
        for (index, entry) in match.enumerated() {
            guard let name = MockMatching.rest(of: entry, after: "header:"),
                name.utf8.allSatisfy(MockMatching.isToken)
            else {
                let message = "\(entry) is nothing that can be matched: header:NAME is"
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
                    let message = "\(text) is no path in a JSON text, as user.tags[0] is"
                    throw Mistake(list: .ignore, index: index, message: message)
                }
                json.append(path)
            } else {
                let message =
                    "\(entry) is nothing that can be left out: "
                    + "query:NAME, form:NAME and json:PATH are"
                throw Mistake(list: .ignore, index: index, message: message)
            }
        }
        self.headers = headers
        ignoredQuery = query
        ignoredForm = form
        ignoredJSON = json
    }

    private static func rest(of entry: String, after prefix: String) -> String? {
        guard entry.hasPrefix(prefix) else { return nil }
        let rest = String(entry.dropFirst(prefix.count))
        return rest.isEmpty ? nil : rest
    }

    /// A character of a field's name (RFC 9110 §5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
