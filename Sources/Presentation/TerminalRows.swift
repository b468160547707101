internal import ProxydTerminalText

/// Lays lines out in rows of a terminal. The text of the rows is safe to print.
extension StyledText {
    /// The rows of the line when it is wrapped at a width. Rows after the first are indented two
    /// columns more than the line if there is enough space.
    package func rows(width: Int) -> [StyledText] {
        rows(width: width, hanging: indent + 2 <= width / 2 ? indent + 2 : 0)
    }

    /// The rows of the line when it is wrapped at a width, with the rows after the first indented
    /// by `hanging` columns. A character wider than a row overflows it.
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

    /// The number of rows when the line is wrapped at a width.
    package func rowCount(width: Int) -> Int {
        columnCount <= width ? 1 : rows(width: width).count
    }

    /// The line in a single row, without its first columns.
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
                // Half of a wide character becomes a space.
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

    /// The line truncated to a number of columns, with an ellipsis if something is missing.
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

/// The only conversion from raw text to terminal output, and the width of the result.
extension StyledText {
    /// The runs made safe to print; tabs in runs with tab stops become spaces.
    package var safeRuns: [Run] {
        // Tab stops are counted from the start of the tabbed text.
        var column = 0
        return runs.map { run in
            guard run.hasTabStops else {
                column = 0
                return Run(text: TerminalText.sanitize(run.text), style: run.style)
            }
            let text = TerminalText.sanitizeTabbed(run.text, from: column)
            column += TerminalText.displayWidth(text)
            return Run(text: text, style: run.style)
        }
    }

    /// The text as it is printed, without styles.
    package var safeText: String { safeRuns.map(\.text).joined() }

    /// The width on a terminal in columns.
    package var columnCount: Int {
        safeRuns.reduce(0) { $0 + TerminalText.displayWidth($1.text) }
    }
}

/// Text split into pieces that fill cells, each a character with its combining marks. The text is
/// always made safe for the terminal, even if it already was.
package struct CellText: Sequence {
    /// A piece that fills one cell or two.
    package struct Piece {
        package let character: String
        /// The width in columns: 1 or 2.
        package let width: Int
    }

    private let text: String

    /// Creates the pieces of a text, raw or safe.
    package init(_ text: String) { self.text = TerminalText.sanitize(text) }

    package func makeIterator() -> AnyIterator<Piece> {
        var scalars = text.unicodeScalars[...]
        return AnyIterator {
            guard let first = scalars.popFirst() else { return nil }
            var character = String(first)
            if first.isASCII, scalars.first?.isASCII ?? true {
                return Piece(character: character, width: 1)
            }
            while let next = scalars.first, TerminalText.displayWidth(String(next)) == 0 {
                character.unicodeScalars.append(next)
                scalars.removeFirst()
            }
            return Piece(
                character: character, width: Swift.max(1, TerminalText.displayWidth(character)))
        }
    }
}
