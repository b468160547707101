internal import ProxydTerminalText

/// Turns styled lines into what is written: made safe, cut to the width, coloured.
struct LineRenderer: Sendable {
    /// The widest line in columns; nil for no limit.
    var columnCount: Int?
    /// Whether styles are written as terminal sequences.
    var usesColour: Bool

    /// The line without its end. Lines wider than the terminal are cut, with an ellipsis.
    func render(_ line: StyledText) -> String {
        var output = ""
        var room = columnCount ?? Int.max
        let runs = line.runs.map {
            StyledText.Run(text: TerminalText.sanitize($0.text), style: $0.style)
        }
        let isTooWide = runs.reduce(0) { $0 + TerminalText.displayWidth($1.text) } > room
        if isTooWide { room -= 1 }
        for run in runs where room > 0 {
            let text = columnCount == nil ? run.text : TerminalText.prefix(run.text, columns: room)
            room -= columnCount == nil ? 0 : TerminalText.displayWidth(text)
            output += styled(text, run.style)
            if text != run.text { break }
        }
        return isTooWide ? output + "…" : output
    }

    /// The line as several, each no wider than the terminal; what comes after the first is
    /// indented further than it.
    func wrap(_ line: StyledText) -> [String] {
        guard let columnCount, line.columnCount > columnCount else { return [render(line)] }
        let indent = min(line.leadingSpaceCount + 2, columnCount / 2)
        var lines = [""]
        var room = columnCount
        for run in line.runs {
            var rest = TerminalText.sanitize(run.text)
            while !rest.isEmpty {
                let piece = TerminalText.prefix(rest, columns: room)
                // Not even one character fits: the next line has more room, unless it is empty.
                if piece.isEmpty, room >= columnCount - indent { break }
                lines[lines.count - 1] += styled(piece, run.style)
                rest.removeFirst(piece.count)
                room -= TerminalText.displayWidth(piece)
                guard !rest.isEmpty else { break }
                lines.append(String(repeating: " ", count: indent))
                room = columnCount - indent
            }
        }
        return lines
    }

    private func styled(_ text: String, _ style: Style) -> String {
        guard usesColour, style != .plain, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
