internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

struct WaterfallChart {
    let waterfall: Waterfall
    let rows: ArraySlice<ExchangeRow>
    let context: Context
    let marks: Set<ExchangeID>

    private struct Layout {
        let names: Int
        let bars: Int
        let took = 8

        init(width: Int) {
            names = max(10, min(84, width / 2))
            bars = max(0, width - names - took - 2)
        }
    }

    /// Characters for the phases, so that they can be told apart without colours.
    private static let shapes: [Style.Role: Character] = [
        .dns: "░", .connect: "▒", .tls: "▓", .send: "▌", .wait: "━", .receive: "█",
    ]
    private static let heldShape: Character = "┄"

    private var span: TimeSpan { waterfall.span(rows, now: context.now) }

    /// Marks the end of a bar that continues outside the view.
    private static let goesOn = "▸"

    /// Draws headings and rows; the caller marks the selected row.
    func draw(_ headings: Canvas, _ body: Canvas) {
        let layout = Layout(width: body.columns)
        drawAxis(layout, headings)
        for (line, row) in rows.enumerated() {
            drawName(row, body.part(columns: layout.names), line)
            drawBar(row, body.part(column: layout.names + 1, columns: layout.bars), line)
            let took = row.durationNs.map(Quantity.duration) ?? "..."
            let style =
                row.durationNs.map { Style(Quantity.scale($0, from: 10_000_000)) } ?? Style(.notice)
            body.draw(
                took, column: body.columns - layout.took, row: line, width: layout.took,
                isRight: true, style)
        }
    }

    func legend() -> StyledText {
        var line = StyledText()
        for phase in TimelinePhase.server {
            guard let shape = WaterfallChart.shapes[phase.role] else { continue }
            line.append("\(shape)", Style(phase.role))
            line.append("\(phase.name) ", Style(.dim))
        }
        if rows.contains(where: { $0.heldNs != nil }) {
            line.append("\(WaterfallChart.heldShape)", Style(.notice))
            line.append("held ", Style(.dim))
        }
        if waterfall.isClipped(rows, now: context.now) {
            line.append(WaterfallChart.goesOn, Style(.warning).adding(.bold))
            line.append(" goes on, 0: all", Style(.dim))
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

    /// A round step of 1, 2 or 5 times a power of ten that produces about `ticks` ticks.
    private static func step(_ length: Int64, ticks: Int) -> Int64 {
        let wanted = max(1, length / Int64(ticks))
        var unit: Int64 = 1
        while unit <= wanted / 10 { unit *= 10 }
        for factor: Int64 in [1, 2, 5] where unit * factor >= wanted { return unit * factor }
        return unit * 10
    }

    // MARK: Rows

    private func drawName(_ row: ExchangeRow, _ canvas: Canvas, _ line: Int) {
        var column = canvas.draw(RowMarks.line(row, isMarked: marks.contains(row.id)), row: line)
        column = canvas.draw(
            row.method ?? "-", column: column, row: line, width: methodWidth,
            Style(.plain).adding(.bold))
        let status = row.status.map { "\($0)" } ?? (row.state == .failed ? "ERR" : "...")
        let style = row.status.map(Style.ofStatus) ?? Style(row.state == .failed ? .bad : .notice)
        column = canvas.draw(status, column: column + 1, row: line, width: 3, style)
        let rest = canvas.part(column: column + 1)
        let path = RowPath(row)
        let address = RowAddress(row, screenWidth: context.size.columns)
        // The path gets at least a part of the space, the name of a method more than others.
        let pathWidth = max(
            min(path.width, rest.columns / 3), min(path.widthMin, rest.columns * 2 / 3))
        column = rest.draw(address.line(width: rest.columns - pathWidth), row: line)
        rest.draw(path.fitted(to: rest.columns - column), column: column, row: line)
    }

    /// The width of the longest method, in columns; longer ones than usual are cut.
    private var methodWidth: Int {
        max(4, min(7, rows.map { $0.method?.count ?? 0 }.max() ?? 0))
    }

    /// A phase in columns from the left edge.
    private struct Piece {
        let shape: Character
        let role: Style.Role
        let first: Double
        let last: Double

        func share(of column: Int) -> Double {
            min(last, Double(column + 1)) - max(first, Double(column))
        }
    }

    /// Each column shows the phase that covers most of it: a short one never hides a long one.
    private func drawBar(_ row: ExchangeRow, _ canvas: Canvas, _ line: Int) {
        let end = TimeSpan.end(of: row, now: context.now)
        let width = Double(canvas.columns)
        let first = span.share(of: row.startedAtNs) * width
        let last = span.share(of: end) * width
        guard canvas.columns > 0 else { return }
        // An arrow points to bars outside the view.
        guard last >= 0 else {
            canvas.draw("◂", row: line, Style(.warning).adding(.bold))
            return
        }
        guard first < width + 0.5 else {
            drawGoesOn(canvas, line)
            return
        }
        let column = Int(max(0, min(first, width - 1)))
        let behind = max(column + 1, Int(max(0, min(last.rounded(), width))))
        let pieces = pieces(row, end, width)
        for column in column..<behind {
            let largest = pieces.max { $0.share(of: column) < $1.share(of: column) }
            guard let largest, largest.share(of: column) > 0 else {
                let style = Style(row.state == .failed ? .bad : .dim)
                canvas.draw("─", column: column, row: line, style)
                continue
            }
            canvas.draw("\(largest.shape)", column: column, row: line, Style(largest.role))
        }
        if last > width + 0.5 { return drawGoesOn(canvas, line) }
        if row.state == .failed {
            canvas.draw("✗", column: min(Int(last), canvas.columns - 1), row: line, Style(.bad))
        }
    }

    private func drawGoesOn(_ canvas: Canvas, _ line: Int) {
        canvas.draw(
            WaterfallChart.goesOn, column: canvas.columns - 1, row: line,
            Style(.warning).adding(.bold))
    }

    private func pieces(_ row: ExchangeRow, _ end: Int64, _ width: Double) -> [Piece] {
        guard let entry = waterfall.entries[row.id], let timeline = entry.timeline else {
            return []
        }
        func piece(
            _ shape: Character, _ role: Style.Role, from start: Int64, to end: Int64
        ) -> Piece {
            Piece(
                shape: shape, role: role, first: span.share(of: row.startedAtNs &+ start) * width,
                last: span.share(of: row.startedAtNs &+ end) * width)
        }
        let holds = entry.holds.map {
            piece(
                WaterfallChart.heldShape, .notice, from: $0.startNs,
                to: $0.startNs.addingClamped($0.durationNs))
        }
        return holds
            + TimelinePhase.server.compactMap { phase in
                guard let start = timeline[phase.start],
                    let shape = WaterfallChart.shapes[phase.role]
                else { return nil }
                // A phase that has started and not ended lasts as long as the exchange.
                let last =
                    timeline[phase.end] ?? (row.state == .active ? end &- row.startedAtNs : start)
                return piece(shape, phase.role, from: start, to: last)
            }
    }
}
