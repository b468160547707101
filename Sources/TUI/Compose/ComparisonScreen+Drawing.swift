internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

extension ComparisonScreen {
    func draw(into canvas: Canvas, _ context: Context) {
        drawNames(canvas.part(rows: 1))
        canvas.draw(differences, row: 1)
        for side in Side.allCases {
            guard let frame = frame(side, canvas.size) else { continue }
            var context = context
            context.size = frame.size
            panes[side.rawValue].draw(
                into: canvas.part(
                    column: frame.column, row: frame.row, columns: frame.size.columns,
                    rows: frame.size.rows), context)
        }
        if let right = frame(.replay, canvas.size), right.column > 0 {
            for row in ComparisonScreen.headRowCount..<max(2, canvas.rows) {
                canvas.draw("│", column: right.column - 1, row: row, Style(.dim))
            }
        }
    }

    /// Draws the names of both sides, with the one that receives keys highlighted.
    private func drawNames(_ canvas: Canvas) {
        var column = 1
        for side in Side.allCases {
            let name = side == .original ? "Original" : "Replay"
            let style = side == self.side ? Style(.heading, on: .selection, .bold) : Style(.dim)
            let title = " \(name) #\(row(side).idText) "
            column = canvas.draw(title, column: column, row: 0, style) + 1
        }
        canvas.draw(
            "o: the other side", column: column, row: 0, width: canvas.columns - column - 1,
            isRight: true, Style(.dim))
    }

    /// Status, size, time and body compared with the original.
    private var differences: StyledText {
        let (original, replay) = (row(.original), row(.replay))
        var line = StyledText(" ")
        line += ComparisonScreen.pair(
            "status", ComparisonScreen.status(original), ComparisonScreen.status(replay),
            isJudged: true)
        // Without a response there is nothing to compare, so the reason is shown.
        if let side = Side.allCases.first(where: { row($0).status == nil }) {
            line.append(row(side).error ?? "no response", Style(.bad))
            return line
        }
        line += ComparisonScreen.pair(
            "size", Quantity.bytes(original.responseBodyByteCount),
            Quantity.bytes(replay.responseBodyByteCount),
            isJudged: true)
        line += ComparisonScreen.pair(
            "time", original.durationNs.map(Quantity.duration) ?? "-",
            replay.durationNs.map(Quantity.duration) ?? "-", isJudged: false)
        line.append("body ", Style(.dim))
        switch bodies {
        case nil: line.append("comparing…", Style(.notice))
        case .same: line.append("same", Style(.good))
        case .different(let offset):
            line.append("different", Style(.warning).adding(.bold))
            line.append(" from byte \(Quantity.grouped(offset))", Style(.dim))
        case .unknown: line.append("cannot be compared", Style(.notice))
        }
        return line
    }

    private static func status(_ row: ExchangeRow) -> String {
        row.status.map(String.init) ?? row.state.rawValue
    }

    /// `status 200 → 404`, or a single value if both are equal.
    private static func pair(
        _ name: String, _ before: String, _ after: String, isJudged: Bool
    ) -> StyledText {
        var line = StyledText("\(name) ", Style(.dim))
        if before != after { line.append("\(before) → ", .plain) }
        let style: Style = !isJudged ? .plain : Style(before == after ? .good : .warning)
        line.append(after, style)
        line.append("   ")
        return line
    }
}
