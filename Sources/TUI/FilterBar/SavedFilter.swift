internal import ProxydFilter

/// A saved filter, with or without a name.
struct SavedFilter: Sendable, Hashable {
    var name: String?
    let text: String

    private static let nameLengthMax = 40

    /// Whether a text can be a name: one word, which the filter bar completes after an `@`.
    static func isName(_ text: String) -> Bool {
        (1...nameLengthMax).contains(text.count)
            && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// The error message for an invalid name.
    static let nameRule = "a name has up to \(nameLengthMax) letters, digits and - _ ."

    /// The filter as part of another one.
    var part: String {
        guard let filter = try? Filter.parse(text), filter.isAlternative else { return text }
        return "(\(text))"
    }
}
