internal import ProxydPresentation

/// What is looked for in an exchange: in the lines of heads as text, in bodies as bytes of their
/// charset.
struct SearchNeedle: Sendable, Hashable {
    /// What a person typed.
    let text: String
    let isCaseSensitive: Bool

    /// nil where there is nothing to look for.
    init?(_ text: String, isCaseSensitive: Bool = false) {
        guard !text.isEmpty else { return nil }
        self.text = text
        self.isCaseSensitive = isCaseSensitive
    }

    /// The bytes to look for in a body.
    func bytes(_ encoding: TextEncoding) -> BodyNeedle? {
        BodyNeedle(text, encoding, isCaseSensitive: isCaseSensitive)
    }

    /// Whether a line in front of a body has it. Headings are ours, not the exchange's.
    func isFound(in line: StyledText) -> Bool {
        guard line.runs.first?.style.foreground != .heading else { return false }
        return isCaseSensitive
            ? line.text.contains(text) : line.text.lowercased().contains(text.lowercased())
    }
}
