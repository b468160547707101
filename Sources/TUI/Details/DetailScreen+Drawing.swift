internal import ProxydHTTPModel
internal import ProxydCaptureModel
internal import ProxydPresentation

extension DetailScreen {
    func draw(into canvas: Canvas, _ context: Context) {
        drawTitle(canvas.part(rows: 1))
        TabBar(tabs, columns: canvas.columns)
            .draw(into: canvas.part(row: 1, rows: 1), selected: tab, hasFocus: context.hasFocus)
        let content = canvas.part(row: 2, rows: max(0, canvas.rows - DetailScreen.barCount))
        if let problem {
            content.drawRemark(problem, .bad)
        } else if subject == nil {
            content.drawRemark("reading…")
        } else if tab == .messages {
            drawMessages(into: content, context)
        } else if let halves = halves(canvas.size) {
            drawBoth(halves, into: canvas, context)
        } else {
            drawLines(of: page, into: content, hasCursor: context.hasFocus)
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    // MARK: Request beside response

    /// Where request and response are drawn if both are.
    func halves(_ size: Size) -> Halves? {
        guard size.columns >= Halves.columnCountMin, tab.beside != nil else { return nil }
        let rows = size.rows - 1
        return Halves(of: Size(columns: size.columns, rows: rows), below: 2)
    }

    func half(of tab: DetailTab, _ size: Size) -> Rectangle? {
        halves(size).map { tab == .request ? $0.left : $0.right }
    }

    private func drawBoth(_ halves: Halves, into canvas: Canvas, _ context: Context) {
        for (tab, frame) in [(DetailTab.request, halves.left), (.response, halves.right)] {
            drawLines(
                of: page(tab), into: canvas.part(frame),
                hasCursor: context.hasFocus && tab == self.tab)
        }
        canvas.part(rows: canvas.rows - 1).drawLine(between: halves)
    }

    private func drawTitle(_ canvas: Canvas) {
        var line = StyledText(" #\(row.idText)  ", Style(.dim))
        line.append("\(row.method ?? "-") ", Style(.plain).adding(.bold))
        line.append(row.url ?? "unreadable URL", Style(.accent))
        var right = StyledText()
        if let status = row.status {
            right.append("  \(status)", Style(.ofStatus(status)).adding(.bold))
        } else if row.error != nil {
            right.append("  failed", Style(.bad).adding(.bold))
        }
        if row.state == .active { right.append("  active", Style(.notice)) }
        if let duration = row.durationNs { right.append("  \(Quantity.duration(duration))") }
        right.append(" ")
        canvas.drawBar(line, right: right)
    }

    /// Draws the lines of a page, with the cursor line highlighted if keys move it.
    func drawLines(of page: DetailPage, into canvas: Canvas, hasCursor: Bool) {
        let width = max(1, canvas.columns - 2)
        var row = -page.pager.topRow
        var number = page.pager.top
        for line in page.lines(number..<number + canvas.rows) {
            let rows =
                page.pager.wraps ? line.rows(width: width) : [line.row(from: page.pager.left)]
            let isCursor = hasCursor && number == page.pager.cursor
            let isMatch = page.matchedLine == number
            for (index, text) in rows.enumerated() where row + index < canvas.rows {
                if index == 0 {
                    canvas.draw(DetailScreen.mark(line.fold), row: row + index, Style(.dim))
                }
                canvas.part(column: 2).draw(text, row: row + index)
                if isMatch {
                    canvas.tint(row: row + index, .match)
                } else if let tint = line.tint {
                    canvas.tint(row: row + index, tint)
                } else if isCursor, page.pager.cursor > 0 || page.pager.top > 0 {
                    canvas.tint(row: row + index, .selection)
                }
            }
            row += rows.count
            number += 1
            if row >= canvas.rows { break }
        }
    }

    private static func mark(_ fold: StyledText.Fold) -> String {
        switch fold {
        case .none: ""
        case .open: "▾"
        case .closed: "▸"
        }
    }

    // MARK: The bottom line

    private func drawInformation(_ canvas: Canvas) {
        if let typing {
            drawSearch(typing, canvas)
            return
        }
        canvas.drawBar(information, right: StyledText(position, Style(.dim)))
    }

    private func drawSearch(_ field: TextField, _ canvas: Canvas) {
        let words = " in \(covered), \(mindsCase ? "match case" : "any case") "
        let column = max(10, canvas.columns - StyledText(words).columnCount)
        canvas.draw(words, column: column, row: 0, Style(.dim))
        let left = canvas.part(columns: column)
        left.draw("/", row: 0, Style(.accent).adding(.bold))
        field.draw(into: left, column: 1, row: 0)
    }

    private var covered: String {
        switch tab {
        case _ where page.isPart: "this part"
        case .messages: isOnMessage ? "this message" : "messages"
        case .changes: "what changed"
        case .raw, .hex: "the \(rawMessage == .request ? "request" : "response") as received"
        default: hasMessages ? "heads, bodies and messages" : "heads and bodies"
        }
    }

    /// The viewers, the viewer's remark, and the work in progress.
    private var information: StyledText {
        if tab == .messages, let messages { return messageInformation(messages) }
        var line = StyledText(" ")
        if tab == .raw || tab == .hex {
            let other = rawMessage == .request ? "response" : "request"
            line.append(rawMessage == .request ? "request" : "response", Style(.accent))
            line.append("  x: \(other)  ", Style(.dim))
        }
        line += viewerNames
        if let remark = page.viewer?.remark { line.append("  \(remark)", Style(.dim)) }
        if let needle { line.append("  /\(needle.text)", Style(.notice)) }
        if let progress {
            line.append("  … \(Quantity.bytes(Int64(progress.byteCount)))", Style(.notice))
        }
        return line
    }

    /// The viewers that suit the body, the current one marked.
    var viewerNames: StyledText {
        var line = StyledText()
        for type in page.viewers {
            let isUsed = type.name == page.viewerName
            line.append(
                isUsed ? "[\(type.name)]" : " \(type.name) ",
                isUsed ? Style(.accent).adding(.bold) : Style(.dim))
        }
        return line
    }

    /// The cursor's line, and the number of lines as far as it is known.
    private var position: String {
        guard subject != nil, problem == nil else { return "" }
        if tab == .messages, !isOnMessage { return messages.map(messagePosition) ?? "" }
        let wrap = page.pager.wraps ? "" : "unwrapped  "
        let count = Quantity.grouped(Int64(page.lineCount))
        let line = Quantity.grouped(Int64(min(page.pager.cursor + 1, page.lineCount)))
        return "\(wrap)\(line)/\(count)\(page.isAtEnd ? "" : "+") "
    }
}

/// A bar of tabs, each with one column of space after it.
struct TabBar<Tab: Hashable & Sendable>: Sendable {
    struct Entry: Sendable, Hashable {
        let tab: Tab
        let label: String
        let column: Int
    }

    private(set) var entries: [Entry] = []
    private var end = 1

    init(_ tabs: [(tab: Tab, label: String)]) {
        for (tab, label) in tabs {
            entries.append(Entry(tab: tab, label: label, column: end))
            end += label.count + 1
        }
    }

    func tab(at column: Int) -> Tab? {
        entries.first { ($0.column..<$0.column + $0.label.count).contains(column) }?.tab
    }

    func draw(into canvas: Canvas, selected: Tab, hasFocus: Bool = true) {
        let shown = Style(.heading, on: hasFocus ? .selection : .bar, .bold)
        for entry in entries {
            canvas.draw(
                entry.label, column: entry.column, row: 0,
                entry.tab == selected ? shown : Style(.dim))
        }
    }
}

extension TabBar<DetailTab> {
    /// The tabs of an exchange, each with its digit: closer together if space is short, and with
    /// shorter titles if there is even less.
    init(_ tabs: [DetailTab], columns: Int) {
        self.init(tabs.map { ($0, " \($0.digit) \($0.title) ") })
        if end - 1 > columns { self.init(tabs.map { ($0, "\($0.digit) \($0.title)") }) }
        if end - 1 > columns { self.init(tabs.map { ($0, "\($0.digit) \($0.shortTitle)") }) }
    }
}
