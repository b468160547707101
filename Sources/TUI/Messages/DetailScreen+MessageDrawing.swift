internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Drawing the tab Messages.
extension DetailScreen {
    func drawMessages(into canvas: Canvas, _ context: Context) {
        guard let messages else {
            let words = hasMessages ? "reading…" : "this exchange has no messages"
            canvas.draw(words, column: 2, row: 1, Style(.dim))
            return
        }
        let layout = messageLayout(context)
        drawList(messages, into: canvas.part(layout.list))
        drawMessageHeading(messages, into: canvas.part(layout.heading))
        if layout.isWide {
            for row in 0..<canvas.rows {
                canvas.draw("│", column: layout.list.size.columns, row: row, Style(.dim))
            }
        }
        if pages[.messages] != nil {
            drawLines(canvas.part(layout.lines), hasCursor: isOnMessage)
        }
    }

    // MARK: The list

    private func drawList(_ list: MessageList, into canvas: Canvas) {
        guard canvas.rows > 0 else { return }
        let cells = MessageCells(startedAtNs: row.startedAtNs, last: list.last, grpc: list.grpc)
        cells.drawHeadings(into: canvas.part(rows: 1))
        let body = canvas.part(row: 1)
        guard !list.window.rows.isEmpty else {
            body.draw(emptyText(list), column: 2, row: 0, width: body.columns - 4, Style(.dim))
            return
        }
        for (row, message) in list.window.rows.visible.enumerated() {
            cells.draw(message, into: body, row: row)
        }
        if list.isBehind { body.fade() }
        body.tint(
            row: list.window.rows.selected - list.window.rows.top,
            isOnMessage ? .bar : .selection)
    }

    private func emptyText(_ list: MessageList) -> String {
        if let problem = list.problem { return problem }
        if list.isStopped { return "reading was cancelled" }
        if list.isReading || !list.hasRead || list.isWorking { return "reading…" }
        if list.sieve.isFiltered { return "no message matches; C-u clears the filter" }
        if list.sieve.hidesPings, list.last >= 0 { return "only pings and pongs; P shows them" }
        return "no message yet"
    }

    // MARK: The message

    /// Draws the line above the message: its position and its viewers.
    private func drawMessageHeading(_ list: MessageList, into canvas: Canvas) {
        guard canvas.rows > 0 else { return }
        canvas.fill("─", Style(.dim))
        guard let shownMessage else { return }
        var line = StyledText(" #\(shownMessage.row.position) ", Style(.dim))
        for type in page.viewers {
            let isUsed = type.name == page.viewerName
            line.append(
                isUsed ? "[\(type.name)]" : " \(type.name) ",
                isUsed ? Style(.accent).adding(.bold) : Style(.dim))
        }
        if shownMessage.content?.meaning != nil {
            line.append(showsMessageBytes ? "  x: its meaning" : "  x: its bytes", Style(.dim))
        }
        line.append(" ")
        canvas.part(column: 1).draw(line, row: 0)
    }

    // MARK: The bottom line

    /// What is listed, and the work in progress.
    func messageInformation(_ list: MessageList) -> StyledText {
        var line = StyledText(" ")
        if list.sieve.isFiltered {
            line.append("f ", Style(.accent).adding(.bold))
            line.append(list.sieve.text, Style(.accent))
            line.append("  \(list.matches.words ?? "counting…")  ")
        }
        if list.sieve.hidesPings { line.append("pings hidden  ", Style(.notice)) }
        if isOnMessage, let remark = page.viewer?.remark {
            line.append("\(remark)  ", Style(.dim))
        }
        if let needle { line.append("/\(needle.text)  ", Style(.notice)) }
        if let share = list.share {
            line.append("reading \(Int(share * 100)) %, C-g gives up  ", Style(.notice))
        } else if list.isReading {
            line.append("reading…  ", Style(.notice))
        }
        if let progress {
            line.append("… \(Quantity.bytes(Int64(progress.byteCount)))", Style(.notice))
        }
        return line
    }

    /// The selected message, the number of messages, and whether new ones are followed.
    func messagePosition(_ list: MessageList) -> String {
        var parts: [String] = []
        if list.newCount > 0 { parts.append("+\(Quantity.grouped(list.newCount)) new") }
        if let selected = list.selected {
            let last = Quantity.grouped(max(list.last, selected.position))
            parts.append("#\(Quantity.grouped(selected.position)), last #\(last)")
        }
        if list.isFollowing, row.state == .active { parts.append("follow") }
        return " " + parts.joined(separator: "  ") + " "
    }
}

extension Canvas {
    /// The part of the canvas that a rectangle covers.
    func part(_ frame: Rectangle) -> Canvas {
        part(
            column: frame.column, row: frame.row, columns: frame.size.columns,
            rows: frame.size.rows)
    }
}
