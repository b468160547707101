internal import ProxydOperations
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation

extension ComposeScreen {
    func draw(into canvas: Canvas, _ context: Context) {
        drawTitle(canvas.part(rows: 1))
        let content = canvas.part(row: 1, rows: max(0, canvas.rows - ComposeScreen.barCount))
        if let problem {
            content.drawRemark(problem, .bad)
        } else if let grid {
            drawRows(grid, content, ComposeLayout(canvas.size))
        } else {
            content.drawRemark("reading…")
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private func drawTitle(_ canvas: Canvas) {
        var line = StyledText(" ")
        if hold != nil {
            line.append("A held request; s lets it go on", Style(.heading).adding(.bold))
        } else if let original {
            line.append("Edit a copy of #\(original.idText)", Style(.heading).adding(.bold))
        } else {
            line.append("A new request", Style(.heading).adding(.bold))
        }
        if isChanged { line.append("  changed", Style(.notice)) }
        canvas.drawBar(line)
    }

    private func drawRows(_ grid: ComposeGrid, _ canvas: Canvas, _ layout: ComposeLayout) {
        for (line, row) in rows.dropFirst(seen.top).prefix(canvas.rows).enumerated() {
            switch row {
            case .method:
                drawPair("Method", grid.draft.method, line, canvas, layout, .plain.adding(.bold))
            case .url:
                drawPair("URL", grid.draft.url.description, line, canvas, layout, Style(.accent))
            case .heading(let section): drawHeading(section, grid, line, canvas)
            case .item(.body, let index):
                canvas.part(column: layout.nameColumn)
                    .draw(grid.value(.body, index) ?? "", row: line)
            case .item(let section, let index): drawItem(section, index, grid, line, canvas, layout)
            case .new(let section, _):
                if section != .body {
                    drawPair(typing?.name ?? "", "", line, canvas, layout, .plain)
                }
            case .nothing(let section):
                canvas.draw(
                    nothing(section, grid), column: layout.nameColumn, row: line, Style(.dim))
            }
            if row == (typing?.row ?? cursor) { mark(row, line, canvas, layout) }
        }
    }

    private func drawPair(
        _ name: String, _ value: String, _ line: Int, _ canvas: Canvas, _ layout: ComposeLayout,
        _ style: Style
    ) {
        canvas.draw(
            name, column: layout.nameColumn, row: line, width: layout.nameWidth, Style(.key))
        canvas.draw(value, column: layout.valueColumn, row: line, width: layout.valueWidth, style)
    }

    private func drawItem(
        _ section: ComposeSection, _ index: Int, _ grid: ComposeGrid, _ line: Int,
        _ canvas: Canvas, _ layout: ComposeLayout
    ) {
        let value = grid.value(section, index)
        // Content that cannot be typed here, and that has no column of its own.
        let isPart = section == .parts && value == nil && layout.rawColumn == nil
        let shown = isPart ? grid.description(ofPart: index) : value ?? ""
        drawPair(
            grid.name(section, index), shown, line, canvas, layout, isPart ? Style(.dim) : .plain)
        let sign = section == .headers ? ":" : value == nil ? " " : "="
        canvas.draw(sign, column: layout.valueColumn - 2, row: line, Style(.punctuation))
        if let rawColumn = layout.rawColumn, let raw = grid.raw(section, index) {
            canvas.draw(
                raw, column: rawColumn, row: line, width: canvas.columns - rawColumn - 1,
                Style(.dim))
        }
    }

    private func drawHeading(
        _ section: ComposeSection, _ grid: ComposeGrid, _ line: Int, _ canvas: Canvas
    ) {
        var text = StyledText(" \(section.title)", Style(.heading).adding(.bold))
        let count = grid.count(section)
        if count > 0, section != .body { text.append("  \(count)", Style(.dim)) }
        if section == .body || section == .form || section == .parts {
            let body = grid.draft.body
            let type = grid.draft.fields["Content-Type"] ?? "no content type"
            text.append("  \(type) · \(Quantity.bytes(Int64(body.bytes.count)))", Style(.dim))
            if let problem = body.problem { text.append(" · \(problem)", Style(.warning)) }
        }
        canvas.draw(text, row: line)
    }

    private func nothing(_ section: ComposeSection, _ grid: ComposeGrid) -> String {
        switch section {
        case .query, .form: "no parameters; a adds one"
        case .parts: "no parts; a adds one"
        case .body where hold != nil && hold?.content == nil:
            "the body is not held because it is too large or may never end"
        case .headers: "no fields; a adds one. Host and Content-Length are added when it is sent"
        case .body where grid.text.lines == nil: "binary or long text: b opens it in $EDITOR"
        case .body: "no body; a adds a line, b opens $EDITOR"
        }
    }

    /// Highlights the row of the cursor: the half that Enter edits, or the text being typed.
    private func mark(_ row: ComposeRow, _ line: Int, _ canvas: Canvas, _ layout: ComposeLayout) {
        canvas.draw("▸", column: 1, row: line, Style(.accent).adding(.bold))
        let isName = (typing?.cell ?? cell) == .name && row.section != nil && row.section != .body
        let isLine = row.section == .body
        let part =
            isName
            ? canvas.part(column: layout.nameColumn, row: line, columns: layout.nameWidth, rows: 1)
            : canvas.part(
                column: isLine ? layout.nameColumn : layout.valueColumn, row: line,
                columns: isLine ? canvas.columns - layout.nameColumn : layout.valueWidth, rows: 1)
        if let typing {
            part.fill()
            typing.field.draw(into: part, column: 0, row: 0)
            part.tint(row: 0, .match)
        } else {
            part.tint(row: 0, .selection)
        }
    }

    // MARK: The bottom line

    private func drawInformation(_ canvas: Canvas) {
        var line = StyledText(" ")
        if typing != nil {
            line.append("Enter accepts, Tab accepts and goes on, Esc reverts", Style(.dim))
        } else if let draft = grid?.draft {
            if let problem = grid?.jsonProblem {
                line.append("JSON, \(problem)", Style(.bad))
            } else if draft.isJSON, !draft.body.bytes.isEmpty {
                line.append("JSON", Style(.good))
            }
            if hold == nil, draft.body.sent(draft.fields) != draft.fields {
                line.append("  sent without content coding", Style(.notice))
            }
        }
        canvas.drawBar(line)
    }
}

struct ComposeLayout: Sendable {
    private static let nameColumn = 3
    private static let wideColumnCount = 120

    let valueColumn: Int
    let valueWidth: Int
    /// The column for a parameter's raw bytes beside its meaning; nil without enough space.
    let rawColumn: Int?

    init(_ size: Size) {
        let nameWidth = max(8, min(30, size.columns / 4))
        valueColumn = ComposeLayout.nameColumn + nameWidth + 2
        rawColumn = size.columns >= ComposeLayout.wideColumnCount ? size.columns * 2 / 3 : nil
        valueWidth = max(1, (rawColumn.map { $0 - 1 } ?? size.columns) - valueColumn)
    }

    var nameColumn: Int { ComposeLayout.nameColumn }
    var nameWidth: Int { valueColumn - nameColumn - 2 }
}
