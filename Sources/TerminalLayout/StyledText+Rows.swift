package import ProxydPresentation
internal import ProxydTerminalText

/// Lines laid into rows of a terminal. The text of rows is safe to print.
extension StyledText {
    /// The rows of the line where it is wrapped at a width; those after the first are indented
    /// as the line is, where that leaves room.
    package func rows(width: Int) -> [StyledText] {
        rows(width: width, hanging: indent + 2 <= width / 2 ? indent + 2 : 0)
    }

    /// The rows of the line where it is wrapped at a width; those after the first are indented
    /// by `hanging` columns. A character wider than a row stands out of it.
    package func rows(width: Int, hanging: Int) -> [StyledText] {
        guard width > 0 else { return [row(from: 0)] }
        var rows: [StyledText] = []
        var row = StyledText()
        var used = 0
        for run in safeRuns {
            var text = ""
            for piece in CellText(run.text) {
                if used + piece.width > width, used > 0 {
                    row.append(text, run.style)
                    text = ""
                    rows.append(row)
                    row = StyledText(String(repeating: " ", count: hanging))
                    used = hanging
                }
                text += piece.character
                used += piece.width
            }
            row.append(text, run.style)
        }
        rows.append(row)
        return rows
    }

    /// How many rows that makes.
    package func rowCount(width: Int) -> Int {
        columnCount <= width ? 1 : rows(width: width).count
    }

    /// The line in one row, without its first columns.
    package func row(from left: Int) -> StyledText {
        var row = StyledText()
        guard left > 0 else {
            for run in safeRuns { row.append(run.text, run.style) }
            return row
        }
        var column = 0
        for run in safeRuns {
            var text = ""
            for piece in CellText(run.text) {
                // Half of a wide character is a blank.
                if column >= left {
                    text += piece.character
                } else if column + piece.width > left {
                    text += " "
                }
                column += piece.width
            }
            row.append(text, run.style)
        }
        return row
    }

    /// The line cut to so many columns, with an ellipsis where something is missing.
    package func fitted(to columns: Int) -> StyledText {
        let runs = safeRuns
        let width = runs.reduce(0) { $0 + TerminalText.displayWidth($1.text) }
        guard width > columns else { return self }
        var room = max(0, columns - 1)
        var fitted = StyledText()
        for run in runs where room > 0 {
            let text = TerminalText.prefix(run.text, columns: room)
            fitted.append(text, run.style)
            room -= TerminalText.displayWidth(text)
            if text != run.text { break }
        }
        fitted.append("…")
        return fitted
    }
}
