internal import ProxydTerminalText

/// Lines laid into rows of a screen.
extension ViewerLine {
    /// The rows of the line where it is wrapped at a width; those behind the first are indented
    /// as the line is, where that leaves room.
    func rows(width: Int) -> [StyledLine] {
        guard width > 0 else { return [styled] }
        let shift = indent + 2 <= width / 2 ? indent + 2 : 0
        var rows: [StyledLine] = []
        var row = StyledLine()
        var used = 0
        for run in runs {
            var text = ""
            for piece in CellText(run.text) {
                if used + piece.width > width, used > 0 {
                    row.append(text, run.style)
                    text = ""
                    rows.append(row)
                    row = StyledLine(String(repeating: " ", count: shift))
                    used = shift
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
    func rowCount(width: Int) -> Int {
        columnCount <= width ? 1 : rows(width: width).count
    }

    /// The line without its first columns.
    func row(from left: Int) -> StyledLine {
        guard left > 0 else { return styled }
        var row = StyledLine()
        var column = 0
        for run in runs {
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

    /// The line in one row.
    var styled: StyledLine {
        runs.reduce(into: StyledLine()) { $0.append($1.text, $1.style) }
    }
}
