internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

extension ListScreen {
    func draw(into canvas: Canvas, _ context: Context) {
        let body = canvas.part(row: 1, rows: canvas.rows - ListScreen.barCount)
        if window.isEmpty {
            body.draw(emptyText, column: 2, row: 1, width: body.columns - 4, Style(.dim))
            if problem != nil {
                body.draw("waiting for the exchange…", column: 2, row: 2, Style(.dim))
            }
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
        if isBehind { body.fade() }
        if !window.isEmpty { body.tint(row: window.selected - window.top, .selection) }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1), context)
    }

    private func chart(_ waterfall: Waterfall, _ context: Context) -> WaterfallChart {
        WaterfallChart(
            waterfall: waterfall, rows: window.visible, context: context, marks: marks)
    }

    /// The columns of a screen of this width. Names in a central store are longer than numbers.
    func columns(width: Int) -> ListColumns {
        let isCentral = window.rows.first?.storeName != nil
        return ListColumns(width: width, choice: memory.columns, hasStoreNames: isCentral)
    }

    private func drawColumns(_ headings: Canvas, _ body: Canvas, _ context: Context) {
        let columns = columns(width: body.columns)
        drawHeadings(columns, headings)
        for (line, row) in window.visible.enumerated() {
            let cells = RowCells(row: row, context: context, isMarked: marks.contains(row.id))
            for place in columns.places { cells.draw(place, into: body, row: line) }
        }
    }

    /// Whether the store is known to be empty.
    private var isNothingThere: Bool {
        let isRead = hasRows && !loads.contains(.page) && filter.matchesEverything
        return problem != nil || isRead && !isStopped
    }

    private var emptyText: String {
        if let problem { return problem }
        if isStopped { return "reading was cancelled; R reads again" }
        if !hasRows || loads.contains(.page) { return "reading…" }
        return filter.matchesEverything
            ? "nothing has been recorded yet" : "nothing matches; C-u clears the filter"
    }

    private func drawHeadings(_ columns: ListColumns, _ canvas: Canvas) {
        let style = Style(.heading).adding(.bold)
        for place in columns.places {
            let isSorted = place.column.sortColumn == order.column && place.column != .id
            // An arrow is shown only if the direction is not obvious.
            let arrow = isSorted && order != .recorded ? (order.isDescending ? "▼" : "▲") : ""
            canvas.draw(
                place.column.title.prefix(place.width - arrow.count) + arrow, column: place.start,
                row: 0,
                width: place.width, isRight: place.column.isRight, style)
        }
        canvas.tint(row: 0, .bar)
    }

    /// Draws what is shown: the filter, the number of rows, the order.
    private func drawInformation(_ canvas: Canvas, _ context: Context) {
        let right =
            " "
            + [news, position, isFollowing ? "follow" : nil]
            .compactMap { $0 }.joined(separator: "  ") + " "
        let rightWidth = StyledText(right).columnCount
        let left = canvas.part(columns: max(0, canvas.columns - rightWidth))
        var line = StyledText()
        if !filter.matchesEverything {
            line.append(" /", Style(.accent).adding(.bold))
            line.append(filter.text, Style(.accent))
            line.append("  \(count.words ?? "counting…")", .plain)
        }
        if order != .recorded {
            line.append(
                "  by \(order.column.rawValue) \(order.isDescending ? "▼" : "▲")", Style(.notice))
        }
        if !marks.isEmpty { line.append("  \(marks.count) marked", Style(.warning)) }
        if let readShare {
            line.append("  reading \(Int(readShare * 100)) %, C-g cancels", Style(.notice))
        } else if loads.contains(.page) {
            line.append("  reading…", Style(.notice))
        }
        if let waterfall { line += StyledText("  ") + chart(waterfall, context).legend() }
        left.draw(line, row: 0)
        canvas.draw(right, column: canvas.columns - rightWidth, row: 0, Style(.dim))
        canvas.tint(row: 0, .bar)
    }

    /// `+88 new`, if new rows are not followed.
    private var news: String? {
        newCount > 0 ? "+\(Quantity.grouped(newCount)) new" : nil
    }

    private var position: String? { window.selectedRow.map { "#\($0.idText)" } }
}
