/// The filter language, written down once: `proxyctl help filter`, docs/FILTER.md, the terminal
/// interface's help and its completion are made of this table. Every field and every operator has
/// an entry, and a test runs each example.
public enum FilterManual {
    /// All sections, in the order in which they are read.
    public static let sections = [
        words, tests, joining, requestFields, responseFields, messageFields, courseFields,
        streamFields, callFields, markFields, values, mitmproxy,
    ]

    /// The entries that complete a word: fields, and mitmproxy's operators where it begins with
    /// `~`, in the manual's order.
    public static func completions(of word: String) -> [FilterEntry] {
        let typed = word.lowercased()
        return sections.flatMap(\.entries).filter { entry in
            guard let completion = entry.completion else { return false }
            return completion.hasPrefix(typed) && completion != word
        }
    }

    /// The values that a field can have, where they are few; else empty.
    public static func values(of field: String) -> [String] {
        let name = field.lowercased()
        return sections.flatMap(\.entries).first { $0.form == name }?.values ?? []
    }
}
