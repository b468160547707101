internal import ProxydPresentation

/// The text to find in an exchange: in the lines of heads as text, in bodies as bytes in their
/// charset.
struct SearchNeedle: Sendable, Hashable {
    /// The text that the user typed.
    let text: String
    let isCaseSensitive: Bool

    /// Returns nil if there is nothing to find.
    init?(_ text: String, isCaseSensitive: Bool = false) {
        guard !text.isEmpty else { return nil }
        self.text = text
        self.isCaseSensitive = isCaseSensitive
    }

    /// The bytes to find in a body.
    func bytes(_ encoding: TextEncoding) -> BodyNeedle? {
        BodyNeedle(text, encoding, isCaseSensitive: isCaseSensitive)
    }

    /// Whether a line before a body contains it. Headings are not part of the exchange and never
    /// match.
    func isFound(in line: StyledText) -> Bool {
        guard line.runs.first?.style.foreground != .heading else { return false }
        return isCaseSensitive
            ? line.text.contains(text) : line.text.lowercased().contains(text.lowercased())
    }
}
