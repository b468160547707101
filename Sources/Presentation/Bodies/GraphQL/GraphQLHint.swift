internal import ProxydParameterCoding

/// Guesses from the first bytes of a JSON body whether it is a GraphQL request, to choose a viewer
/// that then reads the whole body.
enum GraphQLHint {
    private static let starts = ["query", "mutation", "subscription", "fragment", "{", "#"]

    static func isRequest(_ beginning: [UInt8]) -> Bool {
        let text = String(decoding: beginning, as: UTF8.self)
        return text.contains("\"persistedQuery\"") || hasDocument(text)
    }

    /// Whether a member `query` is a string that starts like a document. In other requests, such as
    /// Elasticsearch searches, it is an object.
    private static func hasDocument(_ text: String) -> Bool {
        var rest = text[...]
        while let name = rest.firstRange(of: "\"query\"") {
            rest = rest[name.upperBound...]
            var value = rest.drop(while: \.isWhitespace)
            guard value.first == ":" else { continue }
            value = value.dropFirst().drop(while: \.isWhitespace)
            guard value.first == "\"" else { continue }
            value = withoutBlanks(value.dropFirst())
            if starts.contains(where: { value.hasPrefix($0) }) { return true }
        }
        return false
    }

    /// Removes leading white space, including escaped white space (`
    /// `, `\t`, `\r`).
    private static func withoutBlanks(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first {
            if first.isWhitespace {
                text = text.dropFirst()
            } else if ["\\n", "\\t", "\\r"].contains(where: { text.hasPrefix($0) }) {
                text = text.dropFirst(2)
            } else {
                break
            }
        }
        return text
    }
}
