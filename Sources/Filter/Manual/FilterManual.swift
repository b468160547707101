/// The single source of the filter language's documentation: `proxyctl help filter`,
/// docs/FILTER.md, and the terminal interface's help and completion are generated from this table.
/// Every field and every operator has an entry, and a test runs each example.
public enum FilterManual {
    /// All sections, in reading order.
    public static let sections = [
        words, tests, joining, requestFields, responseFields, messageFields, courseFields,
        streamFields, callFields, markFields, values, mitmproxy,
    ]

    /// The entries that complete a word, in the manual's order: fields, or mitmproxy's operators if
    /// the word starts with `~`.
    public static func completions(of word: String) -> [FilterEntry] {
        let typed = word.lowercased()
        return sections.flatMap(\.entries).filter { entry in
            guard let completion = entry.completion else { return false }
            return completion.hasPrefix(typed) && completion != word
        }
    }

    /// The possible values of a field if there are only a few; otherwise empty.
    public static func values(of field: String) -> [String] {
        let name = field.lowercased()
        return sections.flatMap(\.entries).first { $0.form == name }?.values ?? []
    }
}
