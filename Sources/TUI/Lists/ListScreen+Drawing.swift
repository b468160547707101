internal import ProxydFilter
internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydTerminalText

extension ListScreen {
    func drawList(into canvas: Canvas, _ context: Context) {
        let body = canvas.part(row: 1, rows: canvas.rows - ListScreen.barCount)
        if window.isEmpty {
            body.drawRemark(emptyText)
            if isNothingThere {
                FirstSteps(status: context.status).draw(
                    into: body.part(column: 2, row: 4, columns: body.columns - 4))
            }
        }
        if let waterfall {
            chart(waterfall, context).draw(canvas.part(rows: 1), body)
        } else {
            drawColumns(canvas.part(rows: 1), body, context)
        }
        if list.isBehind { body.fade() }
        if !window.isEmpty { body.tint(row: window.distance, context.hasFocus ? .selection : .bar) }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1), context)
    }

    private func chart(_ waterfall: Waterfall, _ context: Context) -> WaterfallChart {
        WaterfallChart(waterfall: waterfall, rows: window.visible, context: context, marks: marks)
    }

    /// The columns of a screen of this width. Names in a central store are longer than numbers.
    func columns(width: Int) -> ListColumns {
        let isCentral = window.rows.first?.storeName != nil
        let hostWidth = window.rows.lazy.map { RowAddress.width($0, screenWidth: width) }.max()
        return ListColumns(
            width: width, choice: memory.columns, hasStoreNames: isCentral, hostWidth: hostWidth)
    }

    private func drawColumns(_ headings: Canvas, _ body: Canvas, _ context: Context) {
        let columns = columns(width: body.columns)
        drawHeadings(columns, headings)
        for (line, row) in window.visible.enumerated() {
            let cells = RowCells(row: row, context: context, isMarked: marks.contains(row.id))
            for slot in columns.slots { cells.draw(slot, into: body, row: line) }
        }
    }

    private var isNothingThere: Bool {
        let isRead = list.hasRead && !list.isReading && filter.matchesEverything
        return list.problem != nil || isRead && !list.isStopped
    }

    private var emptyText: String {
        if let problem = list.problem { return problem }
        if list.isStopped { return "reading was cancelled; R reads again" }
        if !list.hasRead || list.isReading { return "reading…" }
        return filter.matchesEverything
            ? "nothing has been recorded yet" : "nothing matches; C-u clears the filter"
    }

    private func drawHeadings(_ columns: ListColumns, _ canvas: Canvas) {
        let style = Style(.heading).adding(.bold)
        for slot in columns.slots {
            let isSorted = slot.column.sortColumn == order.column && slot.column != .id
            // An arrow is shown only if the direction is not obvious.
            let arrow = isSorted && order != .recorded ? (order.isDescending ? "▼" : "▲") : ""
            canvas.draw(
                slot.column.title.prefix(slot.width - arrow.count) + arrow, column: slot.start,
                row: 0, width: slot.width, isRight: slot.column.isRight, style)
        }
        canvas.tint(row: 0, .bar)
    }

    private func drawInformation(_ canvas: Canvas, _ context: Context) {
        let right = [news, position, list.isFollowing ? "follow" : nil].compactMap { $0 }
        var line = StyledText()
        if !filter.matchesEverything {
            line += .filter(filter)
            line.append("  \(list.count.words ?? "counting…")", .plain)
        }
        if order != .recorded {
            line.append(
                "  by \(order.column.rawValue) \(order.isDescending ? "▼" : "▲")", Style(.notice))
        }
        if !marks.isEmpty { line.append("  \(marks.count) marked", Style(.warning)) }
        if let progress = list.progress { line += "  " + progress }
        if let waterfall { line += "  " + chart(waterfall, context).legend() }
        canvas.drawBar(line, right: StyledText(" \(right.joined(separator: "  ")) ", Style(.dim)))
    }

    /// `+88 new`, if new rows are not followed.
    private var news: String? { newCount > 0 ? "+\(Quantity.grouped(newCount)) new" : nil }

    private var position: String? { window.selectedRow.map { "#\($0.idText)" } }
}

/// Example commands for an empty list, with the daemon's own address.
struct FirstSteps {
    let status: StatusFacts

    func draw(into canvas: Canvas) {
        var row = 0
        for step in steps {
            row = draw(step.words, row, Style(.plain), canvas)
            for command in step.commands {
                for line in command.lines(width: canvas.columns) {
                    row = draw(line, row, Style(.accent), canvas)
                }
            }
            row += 1
        }
    }

    /// Draws a text in as many rows as needed, so that it can be copied completely.
    private func draw(_ text: String, _ row: Int, _ style: Style, _ canvas: Canvas) -> Int {
        var line = StyledText()
        line.append(text)
        let rows = line.rows(width: max(1, canvas.columns))
        for (index, part) in rows.enumerated() { canvas.draw(part.text, row: row + index, style) }
        return row + rows.count
    }

    private var steps: [(words: String, commands: [ShellLines])] {
        let curl = "curl -x \(ShellWord.plainOrQuoted(status.proxyURL))"
        let certificate =
            status.certificatePath.map(ShellWord.plainOrQuoted) ?? "\"$(\(own) ca path)\""
        var steps: [(words: String, commands: [ShellLines])] = [
            ("Send something through the proxy:", [[curl, "http://example.com/"]]),
            (
                "For HTTPS, trust the proxy's certificate, for one command or for all:",
                [
                    [curl, "--cacert \(certificate)", "https://example.com/"],
                    [own, "ca install"],
                ]
            ),
        ]
        if status.isDaemonRunning == false { steps.insert(("Start the proxy:", [[start]]), at: 0) }
        return steps
    }

    private var own: String { status.ownCommand ?? "proxyctl" }
    private var start: String { status.daemonCommand ?? "proxyd" }
}

/// A command to copy to a shell: one line if it fits, otherwise broken between words.
struct ShellLines: ExpressibleByArrayLiteral {
    private static let indentation = "  "
    private static let continuation = " \\"

    /// Parts that stay together if possible, such as an option and its value.
    private let parts: [String]

    init(arrayLiteral parts: String...) { self.parts = parts }

    /// The lines, indented; a line exceeds the width only if it is a single word.
    func lines(width: Int) -> [String] {
        let whole = ShellLines.indentation + parts.joined(separator: " ")
        if TerminalText.displayWidth(whole) <= width { return [whole] }
        let further = ShellLines.indentation + ShellLines.indentation
        let room = width - further.count - ShellLines.continuation.count
        let pieces = parts.flatMap { part in
            TerminalText.displayWidth(part) <= room ? [part] : ShellLines.words(part)
        }
        return pieces.enumerated().map { index, piece in
            (index == 0 ? ShellLines.indentation : further) + piece
                + (index == pieces.count - 1 ? "" : ShellLines.continuation)
        }
    }

    /// The words of a part; spaces within quotes do not end a word.
    private static func words(_ part: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var isEscaped = false
        for character in part {
            if character == " ", quote == nil, !isEscaped {
                words.append(word)
                word = ""
                continue
            }
            word.append(character)
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            }
        }
        return words + [word]
    }
}
