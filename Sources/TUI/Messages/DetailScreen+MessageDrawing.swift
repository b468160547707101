internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydPresentation

extension DetailScreen {
    func drawMessages(into canvas: Canvas, _ context: Context) {
        guard let messages else {
            let words = hasMessages ? "reading…" : "this exchange has no messages"
            canvas.draw(words, column: 2, row: 1, Style(.dim))
            return
        }
        let layout = messageLayout(context)
        drawList(messages, into: canvas.part(layout.list), hasFocus: context.hasFocus)
        drawMessageHeading(messages, into: canvas.part(layout.heading))
        if layout.isWide {
            for row in 0..<canvas.rows {
                canvas.draw("│", column: layout.list.size.columns, row: row, Style(.dim))
            }
        }
        if let page = pages[.messages] {
            drawLines(
                of: page, into: canvas.part(layout.lines),
                hasCursor: isOnMessage && context.hasFocus)
        }
    }

    // MARK: The list

    private func drawList(_ list: MessageList, into canvas: Canvas, hasFocus: Bool) {
        guard canvas.rows > 0 else { return }
        let cells = MessageCells(
            startedAtNs: row.startedAtNs, last: list.last, grpc: list.grpc, width: canvas.columns)
        cells.table.drawHeadings(into: canvas.part(rows: 1))
        let body = canvas.part(row: 1)
        guard !list.window.isEmpty else {
            canvas.drawRemark(emptyText(list))
            return
        }
        for (row, message) in list.window.visible.enumerated() {
            cells.draw(message, into: body, row: row)
        }
        if list.rows.isBehind { body.fade() }
        body.tint(row: list.window.distance, isOnMessage || !hasFocus ? .bar : .selection)
    }

    private func emptyText(_ list: MessageList) -> String {
        if let problem = list.rows.problem { return problem }
        if list.rows.isStopped { return "reading was cancelled" }
        if list.rows.isReading || !list.rows.hasRead || list.isWorking { return "reading…" }
        if list.matcher.isFiltered { return "no message matches; C-u clears the filter" }
        if list.matcher.hidesPings, list.last >= 0 { return "only pings and pongs; P shows them" }
        return "no message yet"
    }

    // MARK: The message

    private func drawMessageHeading(_ list: MessageList, into canvas: Canvas) {
        guard canvas.rows > 0 else { return }
        canvas.fill("─", Style(.dim))
        guard let shownMessage else { return }
        var line = StyledText(" #\(shownMessage.row.position) ", Style(.dim))
        line += viewerNames
        if shownMessage.content?.meaning != nil {
            line.append(showsMessageBytes ? "  x: its meaning" : "  x: its bytes", Style(.dim))
        }
        line.append(" ")
        canvas.part(column: 1).draw(line, row: 0)
    }

    // MARK: The bottom line

    func messageInformation(_ list: MessageList) -> StyledText {
        var line = StyledText(" ")
        if list.matcher.isFiltered {
            line.append("f ", Style(.accent).adding(.bold))
            line.append(list.matcher.text, Style(.accent))
            line.append("  \(list.rows.count.words ?? "counting…")  ")
        }
        if list.matcher.hidesPings { line.append("pings hidden  ", Style(.notice)) }
        if isOnMessage, let remark = page.viewer?.remark { line.append("\(remark)  ", Style(.dim)) }
        if let needle { line.append("/\(needle.text)  ", Style(.notice)) }
        if let progress = list.rows.progress { line += progress + "  " }
        if let progress {
            line.append("… \(Quantity.bytes(Int64(progress.byteCount)))", Style(.notice))
        }
        return line
    }

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
    func part(_ frame: Rectangle) -> Canvas {
        part(
            column: frame.column, row: frame.row, columns: frame.size.columns,
            rows: frame.size.rows)
    }
}

/// One message in the list: position, time since the start, direction, kind, size, and the start of
/// its text.
struct MessageCells {
    private let grpc: GRPCReading?
    let table: Table<MessageRow>

    /// Creates cells for positions up to `last` in a list of some width.
    init(startedAtNs: Int64, last: Int64, grpc: GRPCReading?, width: Int) {
        self.grpc = grpc
        var columns: [Table<MessageRow>.Column] = [
            .init(title: "#", width: max(4, String(last).count), isRight: true) {
                ("\($0.position)", Style(.dim))
            },
            .init(title: "seconds", width: 9, isRight: true) {
                (MessageTime.text($0, startedAtNs: startedAtNs), Style(.dim))
            },
            .init(title: "", width: 1) {
                (MessageLines.arrow($0), Style(MessageLines.role($0)).adding(.bold))
            },
            .init(title: "kind", width: 8) { ($0.kind.name, MessageCells.kindStyle($0)) },
            .init(title: "size", width: 7, isRight: true) {
                (Quantity.bytes($0.byteCount), Style(Quantity.scale($0.byteCount, from: 1_000)))
            },
            .init(title: "", width: 0) { _ in ("", .plain) },
        ]
        let rest = width - Table(columns: columns).width
        columns.append(.init(title: "text", width: rest) { _ in ("", .plain) })
        table = Table(columns: columns)
    }

    func draw(_ message: MessageRow, into canvas: Canvas, row: Int) {
        table.draw(message, into: canvas, row: row)
        let start = table.width - 1 - (table.columns.last?.width ?? 0)
        drawText(message, into: canvas.part(column: start), row: row)
    }

    /// A problem is shown first, because the rest of the line may be truncated.
    private func drawText(_ message: MessageRow, into canvas: Canvas, row: Int) {
        var column = 0
        if let problem = message.problem {
            column = canvas.draw("\(problem)  ", column: 0, row: row, Style(.bad))
        }
        canvas.draw(
            MessageCells.text(message, grpc), column: column, row: row,
            width: canvas.columns - column, message.kind.isData ? .plain : Style(.dim))
    }

    private static func kindStyle(_ message: MessageRow) -> Style {
        if message.problem != nil || message.kind == .invalid { return Style(.bad) }
        return message.kind.isData ? .plain : Style(.dim)
    }

    /// The start of a message as text, not yet safe for a terminal.
    static func text(_ message: MessageRow, _ grpc: GRPCReading?) -> String {
        guard message.kind == .close, let code = WebSocketCloseCode(payload: message.bytes) else {
            var message = message
            // A list loads only the start of a message, which is decoded as far as possible.
            if Int64(message.bytes.count) < message.byteCount { message.flags.insert(.cut) }
            return MessageText.line(
                of: message, byteCountMax: MessageScan.listedByteCount, grpc: grpc)
        }
        let reason = String(decoding: message.bytes.dropFirst(2), as: UTF8.self)
        return reason.isEmpty ? code.description : "\(code)  “\(reason)”"
    }
}

/// The time when a message was complete, relative to the start of its exchange.
enum MessageTime {
    /// Seconds with milliseconds, so that times align in a column: `0.040`, `3600.000`.
    static func text(_ message: MessageRow, startedAtNs: Int64) -> String {
        let offset = message.atNs.subtractingReportingOverflow(startedAtNs).partialValue
        let milliseconds = offset.magnitude / 1_000_000
        let fraction = String(milliseconds % 1_000)
        let padding = String(repeating: "0", count: max(0, 3 - fraction.count))
        let sign = offset < 0 && milliseconds > 0 ? "-" : ""
        return "\(sign)\(milliseconds / 1_000).\(padding)\(fraction)"
    }
}
