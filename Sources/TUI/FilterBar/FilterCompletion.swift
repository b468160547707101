internal import ProxydCaptureModel
internal import ProxydFilter

/// Completions of the word before the cursor.
struct FilterCompletion: Sendable, Hashable {
    struct Suggestion: Sendable, Hashable {
        /// The text that replaces the last characters of the word.
        let text: String
        let replacedCount: Int
        /// The kind: the meaning of a field or operator, `saved`, `recent`, or the field of a
        /// value.
        let kind: String
    }

    /// Values seen in the store, by field.
    var values: [String: [String]] = [:]

    /// The fields whose values are read, and the columns they come from.
    static let columns: [(field: String, column: SortColumn)] = [
        ("method", .method), ("host", .host), ("status", .status), ("type", .type),
        ("process", .process),
    ]

    /// Suggestions for the text before the cursor, the likeliest first.
    func suggestions(for head: String, memory: FilterMemory) -> [Suggestion] {
        if head.isEmpty { return FilterCompletion.remembered(memory) }
        let word = String(head.split(separator: " ", omittingEmptySubsequences: false).last ?? "")
        let bare = String(word.drop { $0 == "(" || $0 == "!" })
        guard !bare.isEmpty else { return [] }
        if bare.hasPrefix("@") { return FilterCompletion.named(bare, memory) }
        if !bare.hasPrefix("~"), let sign = bare.firstIndex(where: { ":=~<>".contains($0) }) {
            let field = bare[..<sign].lowercased().replacing("!", with: "")
            let typed = bare[sign...].drop { ":=~<>".contains($0) }
            return valueSuggestions(field, String(typed))
        }
        return FilterManual.completions(of: bare).map {
            Suggestion(
                text: $0.completion ?? bare, replacedCount: bare.count, kind: $0.meaning)
        }
    }

    private func valueSuggestions(_ field: String, _ typed: String) -> [Suggestion] {
        // Values seen in the store, then possible values.
        let seen = values[field] ?? []
        let known = seen + FilterManual.values(of: field).filter { !seen.contains($0) }
        let wanted = typed.lowercased()
        let found = known.filter { wanted.isEmpty || $0.lowercased().contains(wanted) }
        // Names that start with the word come before names that only contain it.
        let sorted =
            found.filter { $0.lowercased().hasPrefix(wanted) }
            + found.filter { !$0.lowercased().hasPrefix(wanted) }
        return sorted.filter { $0 != typed }.map {
            Suggestion(text: FilterCompletion.quoted($0), replacedCount: typed.count, kind: field)
        }
    }

    private static func remembered(_ memory: FilterMemory) -> [Suggestion] {
        let saved = memory.saved.map {
            Suggestion(text: $0.text, replacedCount: 0, kind: FilterCompletion.kind($0))
        }
        let texts = memory.saved.map(\.text)
        let recent = memory.history.reversed().filter { !texts.contains($0) }
        return saved + recent.map { Suggestion(text: $0, replacedCount: 0, kind: "recent") }
    }

    /// The saved filters whose names start with the text after the `@`.
    private static func named(_ word: String, _ memory: FilterMemory) -> [Suggestion] {
        let typed = word.dropFirst().lowercased()
        return memory.saved.filter { $0.name?.lowercased().hasPrefix(typed) == true }.map {
            Suggestion(text: $0.part, replacedCount: word.count, kind: kind($0))
        }
    }

    private static func kind(_ filter: SavedFilter) -> String {
        filter.name.map { "saved as \($0)" } ?? "saved"
    }

    /// A value in the syntax of the filter language.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.allSatisfy { $0.isLetter || $0.isNumber || "./-_+*".contains($0) }
        if isPlain { return value }
        let escaped = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }
}
