internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

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
