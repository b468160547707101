internal import ProxydTerminalText

extension TerminalText {
    /// The longest beginning of sanitized text that takes at most so many columns, without an
    /// ellipsis.
    static func prefix(_ text: String, columns: Int) -> String {
        if displayWidth(text) <= columns { return text }
        // One column more has room for what is dropped: the ellipsis, or the last character.
        return String(fitted(text, to: max(0, columns) + 1).dropLast())
    }
}
