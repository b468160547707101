internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydPresentation

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

/// One message in the list: position, time since the start, direction, kind, size, and the start of
/// its text.
struct MessageCells {
    /// The start time of the exchange in nanoseconds since 1970.
    let startedAtNs: Int64
    /// The width of a position in columns.
    private let positionWidth: Int
    /// How gRPC messages are decoded.
    private let grpc: GRPCReading?

    private static let timeWidth = 9
    private static let kindWidth = 8
    private static let sizeWidth = 7

    /// Creates cells for positions up to `last`.
    init(startedAtNs: Int64, last: Int64, grpc: GRPCReading?) {
        self.startedAtNs = startedAtNs
        self.grpc = grpc
        positionWidth = max(4, String(last).count)
    }

    func drawHeadings(into canvas: Canvas) {
        let style = Style(.heading).adding(.bold)
        let time = positionWidth + 1
        canvas.draw("#", column: 0, row: 0, width: positionWidth, isRight: true, style)
        canvas.draw(
            "seconds", column: time, row: 0, width: MessageCells.timeWidth, isRight: true, style)
        canvas.draw("kind", column: time + MessageCells.timeWidth + 3, row: 0, style)
        canvas.draw(
            "size", column: sizeColumn, row: 0, width: MessageCells.sizeWidth, isRight: true, style)
        canvas.draw("text", column: textColumn, row: 0, style)
        canvas.tint(row: 0, .bar)
    }

    func draw(_ message: MessageRow, into canvas: Canvas, row: Int) {
        let time = positionWidth + 1
        canvas.draw(
            "\(message.position)", column: 0, row: row, width: positionWidth, isRight: true,
            Style(.dim))
        canvas.draw(
            MessageTime.text(message, startedAtNs: startedAtNs), column: time, row: row,
            width: MessageCells.timeWidth,
            isRight: true, Style(.dim))
        let arrow = time + MessageCells.timeWidth + 1
        canvas.draw(
            MessageLines.arrow(message), column: arrow, row: row,
            Style(MessageLines.role(message)).adding(.bold))
        canvas.draw(
            message.kind.name, column: arrow + 2, row: row, width: MessageCells.kindWidth,
            kindStyle(message))
        canvas.draw(
            Quantity.bytes(message.byteCount), column: sizeColumn, row: row,
            width: MessageCells.sizeWidth, isRight: true,
            Style(Quantity.scale(message.byteCount, from: 1_000)))
        drawText(message, into: canvas.part(column: textColumn), row: row)
    }

    private var sizeColumn: Int {
        positionWidth + MessageCells.timeWidth + MessageCells.kindWidth + 5
    }

    private var textColumn: Int { sizeColumn + MessageCells.sizeWidth + 2 }

    /// A problem is shown first, because the rest of the line may be truncated.
    private func drawText(_ message: MessageRow, into canvas: Canvas, row: Int) {
        var column = 0
        if let problem = message.problem {
            column = canvas.draw("\(problem)  ", column: 0, row: row, Style(.bad))
        }
        let width = canvas.columns - column
        canvas.draw(
            MessageCells.text(message, grpc), column: column, row: row, width: width,
            message.kind.isData ? .plain : Style(.dim))
    }

    private func kindStyle(_ message: MessageRow) -> Style {
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
