internal import ProxydPresentation

/// Screens as text, for tests and screenshots.
extension Screen {
    /// The rows without trailing spaces.
    var text: String {
        (0..<size.rows).map { row in
            var line = self.row(row).map(\.character).joined()
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// The rows with marks where the style changes: `«serverError»500«plain»`.
    var styledText: String {
        (0..<size.rows).map { row in
            var line = ""
            var style = Style.plain
            for cell in self.row(row) {
                if cell.style != style, !cell.isContinuation {
                    style = cell.style
                    line += "«\(style.mark)»"
                }
                line += cell.character
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}

extension Style {
    /// A short name, such as `bad+bold/selection`.
    var mark: String {
        var mark = "\(foreground)"
        if attributes.contains(.bold) { mark += "+bold" }
        if attributes.contains(.dim) { mark += "+dim" }
        if attributes.contains(.underline) { mark += "+underline" }
        if attributes.contains(.reverse) { mark += "+reverse" }
        if attributes.contains(.italic) { mark += "+italic" }
        if background != .plain { mark += "/\(background)" }
        return mark
    }
}
