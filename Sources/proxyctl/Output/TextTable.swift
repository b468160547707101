internal import ProxydPresentation
internal import ProxydTerminalLayout

/// Rows in aligned columns, each as wide as its widest cell, within limits.
struct TextTable {
    enum Alignment: Sendable {
        case left
        case right
    }

    struct Column: Sendable {
        var title: String
        var alignment = Alignment.left
        /// Cells wider than this are truncated.
        var columnCountMax = 60
    }

    private let columns: [Column]
    private var rows: [[StyledText]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func append(_ row: [StyledText]) { rows.append(row) }

    /// The lines: a heading if there are any titles, then the rows.
    func lines() -> [StyledText] {
        let titles = columns.map { StyledText($0.title, .heading) }
        let heading = columns.allSatisfy(\.title.isEmpty) ? [] : [titles]
        let widths = TextTable.widths(of: heading + rows, columns)
        return (heading + rows).map { TextTable.line($0, columns, widths) }
    }

    /// The widths that fit the given rows.
    static func widths(of rows: [[StyledText]], _ columns: [Column]) -> [Int] {
        columns.indices.map { index in
            let widest = rows.map { index < $0.count ? $0[index].columnCount : 0 }.max() ?? 0
            return min(widest, columns[index].columnCountMax)
        }
    }

    /// One row as a line; the last column is neither padded nor truncated.
    static func line(_ row: [StyledText], _ columns: [Column], _ widths: [Int]) -> StyledText {
        var line = StyledText()
        for (index, cell) in row.enumerated() where index < columns.count {
            let isLast = index == columns.count - 1
            let isRight = columns[index].alignment == .right
            let fitted = isLast && !isRight ? cell : cell.fitted(to: widths[index])
            let padding = String(repeating: " ", count: max(0, widths[index] - fitted.columnCount))
            if index > 0 { line.append("  ") }
            if isRight { line.append(padding) }
            line += fitted
            if !isRight, !isLast { line.append(padding) }
        }
        return line
    }
}
