extension TerminalText {
    /// The columns a text takes on a terminal: wide characters 2, combining marks 0.
    ///
    /// Meant for a sanitized line; what would not be printed counts for nothing.
    public static func displayWidth(_ text: String) -> Int {
        var text = text
        let asciiWidth = text.withUTF8 { utf8 in
            utf8.allSatisfy { $0 &- 0x20 < 0x5F } ? utf8.count : nil
        }
        if let asciiWidth { return asciiWidth }
        return text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// The text, cut with `…` where it takes more columns than `width`.
    public static func fitted(_ text: String, to width: Int) -> String {
        if displayWidth(text) <= width { return text }
        guard width > 0 else { return "" }
        var kept = String.UnicodeScalarView()
        var column = 0
        for scalar in text.unicodeScalars {
            column += TerminalText.width(scalar)
            // The last column is for the ellipsis.
            if column > width - 1 { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The text in exactly `width` columns: cut with `…`, or with spaces behind it.
    public static func padded(_ text: String, to width: Int) -> String {
        let fitted = fitted(text, to: width)
        return fitted + String(repeating: " ", count: max(0, width - displayWidth(fitted)))
    }

    /// The longest beginning of a sanitized text that takes at most `columns`, without an ellipsis.
    package static func prefix(_ text: String, columns: Int) -> String {
        if displayWidth(text) <= columns { return text }
        // One column more has room for what is dropped: the ellipsis, or the last character.
        return String(fitted(text, to: max(0, columns) + 1).dropLast())
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if case .printable(let width) = CharacterClass(scalar) { return width }
        return 0
    }
}
