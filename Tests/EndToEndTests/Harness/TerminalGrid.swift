import ProxydTerminalText

/// The cells of a terminal, as far as ncurses moves them about.
struct TerminalGrid {
    private typealias Line = [String]

    private let columns: Int
    private let rows: Int
    private var lines: [Line]
    private var column = 0
    private var row = 0
    private var region: ClosedRange<Int>
    private var last = ""
    private var isInserting = false

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        region = 0...rows - 1
        lines = Array(repeating: TerminalGrid.blank(columns), count: rows)
    }

    private static func blank(_ columns: Int) -> Line { Array(repeating: " ", count: columns) }

    /// The screen, a line each; the second halves of wide characters are empty.
    var text: String { lines.map { $0.joined() }.joined(separator: "\n") }

    /// The same without what is empty, for people.
    var shortText: String {
        lines.map { $0.joined().replacing(/\s+$/, with: "") }.joined(separator: "\n")
            .replacing(/\n\n+/, with: "\n")
    }

    func line(_ row: Int) -> String { lines[row < 0 ? rows + row : row].joined() }

    // MARK: Text

    mutating func put(_ scalar: Unicode.Scalar, width: Int) {
        guard width > 0 else {
            let before = max(0, min(column, columns) - 1)
            lines[row][before].unicodeScalars.append(scalar)
            return
        }
        last = String(scalar)
        if column + width > columns {
            column = 0
            lineFeed()
        }
        if isInserting { insert(width) }
        lines[row][column] = last
        if width == 2 { lines[row][column + 1] = "" }
        column += width
    }

    mutating func control(_ byte: UInt8) {
        switch byte {
        case 0x08: column = max(0, column - 1)
        case 0x0A: lineFeed()
        default: column = 0
        }
    }

    private mutating func lineFeed() {
        if row == region.upperBound { scroll(1) } else { row = min(rows - 1, row + 1) }
    }

    mutating func reverseIndex() {
        if row == region.lowerBound { scroll(-1) } else { row = max(0, row - 1) }
    }

    // MARK: Sequences

    /// Carries out `CSI numbers name`; modes and colours change no cell.
    mutating func perform(_ name: String, _ numbers: [Int]) {
        let count = max(1, numbers.first ?? 1)
        switch name {
        case "A": row = max(0, row - count)
        case "B": row = min(rows - 1, row + count)
        case "C": column = min(columns - 1, column + count)
        case "D": column = max(0, min(column, columns - 1) - count)
        case "G": column = min(columns, count) - 1
        case "d": row = min(rows, count) - 1
        case "H":
            row = min(rows, count) - 1
            column = min(columns, max(1, numbers.dropFirst().first ?? 1)) - 1
        case "r":
            let end = min(rows, numbers.dropFirst().first ?? rows)
            region = min(count, end) - 1...end - 1
            (row, column) = (0, 0)
        case "S": scroll(count)
        case "T": scroll(-count)
        case "b": for _ in 0..<count { for scalar in last.unicodeScalars { again(scalar) } }
        case "h" where numbers == [4]: isInserting = true
        case "l" where numbers == [4]: isInserting = false
        default: change(name, numbers.first ?? 0)
        }
    }

    private mutating func again(_ scalar: Unicode.Scalar) {
        put(scalar, width: TerminalText.displayWidth(String(scalar)))
    }

    private mutating func change(_ name: String, _ number: Int) {
        column = min(column, columns - 1)
        let count = max(1, number)
        switch name {
        case "J":
            erase(column..<columns)
            for index in row + 1..<max(row + 1, rows) { lines[index] = TerminalGrid.blank(columns) }
            if number == 2 { lines = lines.map { _ in TerminalGrid.blank(columns) } }
        case "K": erase(number == 1 ? 0..<column + 1 : column..<columns)
        case "X": erase(column..<min(columns, column + count))
        case "@": insert(count)
        case "P":
            let gone = min(count, columns - column)
            lines[row].removeSubrange(column..<column + gone)
            lines[row] += TerminalGrid.blank(gone)
        case "L": move(region: row...max(row, region.upperBound), by: -count)
        case "M": move(region: row...max(row, region.upperBound), by: count)
        default: break
        }
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range { lines[row][index] = " " }
    }

    private mutating func insert(_ count: Int) {
        lines[row].insert(contentsOf: TerminalGrid.blank(min(count, columns)), at: column)
        lines[row].removeLast(lines[row].count - columns)
    }

    private mutating func scroll(_ count: Int) { move(region: region, by: count) }

    /// Moves the lines of a region up, or down where the count is negative.
    private mutating func move(region: ClosedRange<Int>, by count: Int) {
        let number = min(abs(count), region.count)
        let empty = Array(repeating: TerminalGrid.blank(columns), count: number)
        let old = Array(lines[region])
        let kept = Array(count > 0 ? old[number...] : old[..<(old.count - number)])
        lines.replaceSubrange(region, with: count > 0 ? kept + empty : empty + kept)
    }
}
