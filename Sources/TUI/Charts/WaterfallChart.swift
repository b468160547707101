internal import Capture
internal import HTTPModel

/// Rows as bars on one time axis.
struct WaterfallChart {
    let waterfall: Waterfall
    let rows: ArraySlice<ExchangeRow>
    let context: Context
    let marks: Set<ExchangeID>

    /// Columns of what is in front of the bars and behind them.
    private struct Layout {
        let names: Int
        let bars: Int
        let took = 8

        init(width: Int) {
            names = max(10, min(70, width * 2 / 5))
            bars = max(0, width - names - took - 2)
        }
    }

    /// The phases' letters: to be told from each other without colours, too.
    private static let shapes: [Style.Role: Character] = [
        .dns: "░", .connect: "▒", .tls: "▓", .send: "▌", .wait: "━", .receive: "█",
    ]

    private var span: TimeSpan { waterfall.span(rows, now: context.now) }

    /// Draws headings and rows; which row is selected is the caller's to show.
    func draw(_ headings: Canvas, _ body: Canvas) {
        let layout = Layout(width: body.columns)
        drawAxis(layout, headings)
        for (line, row) in rows.enumerated() {
            drawName(row, body.part(columns: layout.names), line)
            drawBar(row, body.part(column: layout.names + 1, columns: layout.bars), line)
            let took = row.durationNs.map(Quantity.duration) ?? "..."
            let style =
                row.durationNs.map { Style(Quantity.scale($0, from: 10_000_000)) }
                ?? Style(.notice)
            body.draw(
                took, column: body.columns - layout.took, row: line, width: layout.took,
                isRight: true, style)
        }
    }

    /// What the letters and colours mean.
    static func legend() -> StyledLine {
        var line = StyledLine()
        for phase in TimelineLines.phases {
            guard let shape = shapes[phase.role] else { continue }
            line.append("\(shape)", Style(phase.role))
            line.append("\(phase.name) ", Style(.dim))
        }
        return line
    }

    // MARK: The axis

    private func drawAxis(_ layout: Layout, _ canvas: Canvas) {
        let style = Style(.heading).adding(.bold)
        canvas.draw(
            "  from " + context.clock.precise(span.start), column: 0, row: 0,
            width: layout.names, style)
        let axis = canvas.part(column: layout.names + 1, columns: layout.bars)
        let step = WaterfallChart.step(span.length, ticks: max(1, layout.bars / 12))
        var offset: Int64 = 0
        while offset <= span.length, layout.bars > 0 {
            let column = Int(Double(offset) / Double(span.length) * Double(layout.bars))
            axis.draw(
                "╷" + (offset == 0 ? "0" : Quantity.duration(offset)), column: column, row: 0,
                Style(.dim))
            offset += step
        }
        canvas.draw(
            "took", column: canvas.columns - layout.took, row: 0, width: layout.took,
            isRight: true, style)
        canvas.tint(row: 0, .bar)
    }

    /// 1, 2 or 5 with zeros behind, so that there are about so many.
    private static func step(_ length: Int64, ticks: Int) -> Int64 {
        let wanted = max(1, length / Int64(ticks))
        var unit: Int64 = 1
        while unit <= wanted / 10 { unit *= 10 }
        for factor: Int64 in [1, 2, 5] where unit * factor >= wanted { return unit * factor }
        return unit * 10
    }

    // MARK: Rows

    private func drawName(_ row: ExchangeRow, _ canvas: Canvas, _ line: Int) {
        canvas.draw(
            marks.contains(row.id) ? "●" : " ", row: line, Style(.warning).adding(.bold))
        var column = canvas.draw(
            row.method ?? "-", column: 2, row: line, width: 4, Style(.plain).adding(.bold))
        let status = row.status.map { "\($0)" } ?? (row.state == .failed ? "ERR" : "...")
        let style =
            row.status.map(Style.ofStatus) ?? Style(row.state == .failed ? .bad : .notice)
        column = canvas.draw(status, column: column + 1, row: line, width: 3, style)
        let rest = canvas.part(column: column + 1)
        let host = (row.host ?? "-") + " "
        column = canvas.columns >= 50 ? rest.draw(host, row: line, Style(.accent)) : 0
        let path = (row.path ?? "-") + (row.query.map { "?" + $0 } ?? "")
        rest.draw(path, column: column, row: line, width: rest.columns - column)
    }

    private func drawBar(_ row: ExchangeRow, _ canvas: Canvas, _ line: Int) {
        let end = TimeSpan.end(of: row, now: context.now)
        let style = Style(row.state == .failed ? .bad : .dim)
        draw("─", from: row.startedAtNs, to: end, style, canvas, line)
        guard let timeline = waterfall.entries[row.id]?.timeline else { return }
        for phase in TimelineLines.phases {
            guard let start = timeline[phase.start], let shape = WaterfallChart.shapes[phase.role]
            else { continue }
            // What has begun and not ended goes on as long as the exchange does.
            let last =
                timeline[phase.end] ?? (row.state == .active ? end &- row.startedAtNs : start)
            guard last >= start else { continue }
            draw(
                shape, from: row.startedAtNs &+ start, to: row.startedAtNs &+ last,
                Style(phase.role), canvas, line)
        }
        if row.state == .failed { draw("✗", from: end, to: end, Style(.bad), canvas, line) }
    }

    /// Draws a piece of a bar, a column at least.
    private func draw(
        _ shape: Character, from start: Int64, to end: Int64, _ style: Style, _ canvas: Canvas,
        _ line: Int
    ) {
        let width = Double(canvas.columns)
        let first = span.share(of: start) * width
        let last = span.share(of: end) * width
        guard canvas.columns > 0 else { return }
        // What is out of sight is pointed to.
        guard last >= 0 else {
            canvas.draw("◂", row: line, Style(.dim))
            return
        }
        guard first < width + 0.5 else {
            canvas.draw("▸", column: canvas.columns - 1, row: line, Style(.dim))
            return
        }
        let column = Int(max(0, min(first, width - 1)))
        let behind = Int(max(0, min(last.rounded(), width)))
        canvas.draw(
            String(repeating: shape, count: max(1, behind - column)), column: column, row: line,
            style)
    }
}
