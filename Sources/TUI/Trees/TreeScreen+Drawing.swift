internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter

extension TreeScreen {
    /// A column on the right.
    private struct Column {
        let title: String
        let order: TreeOrder
        let width: Int
        let text: (TreeLine) -> (String, Style)
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let columns = columns(canvas.columns, context)
        let used = columns.reduce(0) { $0 + $1.width + 1 }
        let barWidth = canvas.columns >= 110 ? 20 : 0
        let nameWidth = max(0, canvas.columns - used - (barWidth == 0 ? 0 : barWidth + 1))
        drawHeadings(columns, nameWidth, barWidth, canvas)
        let body = canvas.part(row: 1, rows: canvas.rows - TreeScreen.barCount)
        if lines.isEmpty {
            body.draw(emptyText, column: 2, row: 1, width: body.columns - 4, Style(.dim))
        }
        let most = lines.reduce(1) { max($0, $1.totals.count) }
        for (row, line) in lines[cursor.visible].enumerated() {
            draw(line, body.part(columns: nameWidth), row)
            if line.totals.count > 0 {
                drawBar(line, most, body.part(column: nameWidth, columns: barWidth), row)
            }
            var column = canvas.columns - used + 1
            for next in columns where line.totals.count > 0 {
                let (text, style) = next.text(line)
                body.draw(text, column: column, row: row, width: next.width, isRight: true, style)
                column += next.width + 1
            }
            if row + cursor.top == cursor.selected { body.tint(row: row, .selection) }
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private var emptyText: String {
        if let problem { return problem }
        if !reading.isEmpty { return "reading…" }
        return filter.matchesEverything ? "nothing has been recorded yet" : "nothing matches"
    }

    private func columns(_ width: Int, _ context: Context) -> [Column] {
        var columns = [
            Column(title: "count", order: .count, width: 9) {
                (Quantity.grouped($0.totals.count), .plain)
            },
            Column(title: "errors", order: .errors, width: 8) { line in
                let count = line.totals.errorCount
                return (count == 0 ? "" : Quantity.grouped(count), Style(.bad))
            },
        ]
        if width >= 50 {
            columns.append(
                Column(title: "size", order: .size, width: 8) { line in
                    let count = line.totals.byteCount
                    return (Quantity.bytes(count), Style(Quantity.scale(count, from: 10_000)))
                })
        }
        if width >= 70 {
            columns.append(
                Column(title: "newest", order: .newest, width: 11) { line in
                    let time = context.clock.short(line.totals.lastStartedAtNs, now: context.now)
                    return (time, Style(.dim))
                })
        }
        return columns
    }

    private func drawHeadings(
        _ columns: [Column], _ nameWidth: Int, _ barWidth: Int, _ canvas: Canvas
    ) {
        let style = Style(.heading).adding(.bold)
        canvas.draw(
            "  host and path" + (order == .name ? "▲" : ""), column: 0, row: 0, width: nameWidth,
            style)
        var column = canvas.columns - columns.reduce(0) { $0 + $1.width + 1 } + 1
        for next in columns {
            let title = next.title + (next.order == order ? "▼" : "")
            canvas.draw(title, column: column, row: 0, width: next.width, isRight: true, style)
            column += next.width + 1
        }
        canvas.tint(row: 0, .bar)
    }

    private func draw(_ line: TreeLine, _ canvas: Canvas, _ row: Int) {
        let start = 1 + 2 * min(line.depth, max(0, canvas.columns / 4))
        if let place = line.place {
            canvas.draw(isOpen(place) ? "▾" : "▸", column: start, row: row, Style(.dim))
        }
        canvas.draw(
            line.label, column: start + 2, row: row, width: canvas.columns - start - 2,
            style(line))
    }

    private func style(_ line: TreeLine) -> Style {
        switch line.kind {
        case .branch(.server, _): Style(.accent).adding(.bold)
        case .branch(.folder, _): Style(.plain).adding(.bold)
        case .branch(.path(_?), _): .plain
        case .branch(.path(nil), _), .others, .reading: Style(.dim)
        }
    }

    /// Draws the amount below a line, relative to the line with the most.
    private func drawBar(_ line: TreeLine, _ most: Int64, _ canvas: Canvas, _ row: Int) {
        guard canvas.columns > 0 else { return }
        let share = Double(line.totals.count) / Double(max(1, most))
        let length = max(1, min(canvas.columns, Int((share * Double(canvas.columns)).rounded())))
        let bad = Double(line.totals.errorCount) / Double(max(1, line.totals.count))
        let badLength = line.totals.errorCount == 0 ? 0 : max(1, Int(bad * Double(length)))
        let column = canvas.draw(
            String(repeating: "▬", count: length - min(length, badLength)), row: row,
            Style(.accent))
        canvas.draw(
            String(repeating: "▬", count: min(length, badLength)), column: column, row: row,
            Style(.bad))
    }

    private func drawInformation(_ canvas: Canvas) {
        var line = StyledText()
        if !filter.matchesEverything {
            line.append(" /", Style(.accent).adding(.bold))
            line.append(filter.text, Style(.accent))
        }
        let isExact = reading[.everything] == nil && !isPartial
        let count =
            isExact
            ? Quantity.count(all.count, "exchange", isGrouped: true)
            : "\(Quantity.grouped(all.count))+ exchanges"
        line.append("  \(count), \(Quantity.bytes(all.byteCount))")
        if all.errorCount > 0 {
            let count = Quantity.count(all.errorCount, "error", isGrouped: true)
            line.append("  \(count)", Style(.bad))
        }
        if isPartial { line.append("  cancelled: not all were counted, R counts", Style(.warning)) }
        if let share = reading.values.min() {
            line.append("  counting \(Int(share * 100)) %, C-g cancels", Style(.notice))
        }
        canvas.draw(line, row: 0)
        canvas.tint(row: 0, .bar)
    }
}
