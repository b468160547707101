internal import ProxydPresentation
internal import ProxydTerminalLayout
internal import ProxydFilter

/// The filter language's manual as lines for users.
struct FilterManualReport {
    /// The maximum width of a line in columns.
    let columnCount: Int

    private static let indent = "  "
    /// The width of the column for syntax, before its explanation.
    private static let formColumnCount = 20

    /// As wide as the terminal, up to a readable width.
    init(_ environment: Environment) {
        columnCount = min(max(environment.columnCount ?? 80, 60), 100)
    }

    func lines() -> [StyledText] {
        var lines = intro()
        for section in FilterManual.sections + [FilterManual.messageFilters] {
            lines += ["", StyledText(section.title, .heading)]
            if let note = section.note { lines += paragraph(note) }
            for entry in section.entries { lines += self.lines(of: entry) }
        }
        return lines
    }

    private func intro() -> [StyledText] {
        paragraph(
            "A FILTER selects exchanges. list, tail, export, replay, clear and the terminal "
                + "interface take the same language. Quote it for the shell, to which < > ( ) ! & "
                + "| ~ and spaces mean something: proxyctl list 'status>=400 host:shop'")
    }

    /// Examples take half of the remaining width, and what they find the other half.
    private var exampleColumnCount: Int {
        let left = columnCount - FilterManualReport.indent.count
        return min(32, (left - FilterManualReport.formColumnCount) * 11 / 20)
    }

    private func lines(of entry: FilterEntry) -> [StyledText] {
        let column = FilterManualReport.indent.count + FilterManualReport.formColumnCount
        var lines = block(StyledText(entry.form, .key), entry.meaning, at: column)
        for example in entry.examples {
            let start = String(repeating: " ", count: column)
            lines += block(
                StyledText(start + example.filter, .heading), example.finding,
                at: column + exampleColumnCount, indent: "")
        }
        return lines
    }

    /// A text in a separate column, on the line of what it explains if that is short enough.
    private func block(
        _ head: StyledText, _ text: String, at column: Int,
        indent: String = FilterManualReport.indent
    ) -> [StyledText] {
        var first = StyledText(indent) + head
        var lines: [StyledText] = []
        if first.columnCount + 2 > column {
            lines.append(first)
            first = ""
        }
        for piece in FilterManualReport.wrapped(text, columnCount: columnCount - column) {
            first.append(String(repeating: " ", count: max(0, column - first.columnCount)))
            first.append(piece)
            lines.append(first)
            first = ""
        }
        return lines
    }

    private func paragraph(_ text: String) -> [StyledText] {
        FilterManualReport.wrapped(text, columnCount: columnCount - 2).map { "  " + StyledText($0) }
    }

    /// A text wrapped between words.
    private static func wrapped(_ text: String, columnCount: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columnCount {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
