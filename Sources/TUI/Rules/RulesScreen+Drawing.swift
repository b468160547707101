internal import ProxydPresentation
internal import ProxydTerminalText
internal import ProxydOperations

extension RulesScreen {
    /// A column before the filter.
    private struct Column {
        let title: String
        let width: Int
        var isRight = false
        let text: (RuleFacts) -> (String, Style)
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let columns = columns(canvas.columns, context)
        drawHeadings(columns, canvas)
        let body = canvas.part(row: 1, rows: canvas.rows - RulesScreen.barCount)
        if rules.isEmpty {
            body.draw(emptyText, column: 2, row: 1, width: body.columns - 4, Style(.dim))
        }
        for (row, rule) in rules[cursor.visible].enumerated() {
            draw(rule, columns, body, row)
            if row + cursor.top == cursor.selected { body.tint(row: row, .selection) }
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private var emptyText: String {
        if let problem { return problem }
        guard let report else { return "reading…" }
        return report.problems.isEmpty
            ? "no rules yet: n adds one; in the list A adds one for an exchange"
            : "no rules are in force"
    }

    private func columns(_ width: Int, _ context: Context) -> [Column] {
        let longest = rules.map { TerminalText.displayWidth(TerminalText.sanitize($0.name)) }.max()
        var columns = [
            Column(title: "", width: 1) { ($0.isTemporary ? "~" : "", Style(.notice)) },
            Column(title: "on", width: 3) { rule in
                (rule.isEnabled ? "on" : "off", Style(rule.isEnabled ? .good : .dim))
            },
            Column(title: "rule", width: max(4, min(longest ?? 0, width / 4))) { rule in
                (rule.name, rule.isEnabled ? Style(.plain).adding(.bold) : Style(.dim))
            },
        ]
        if width >= 100, rules.contains(where: { $0.group != nil }) {
            columns.append(Column(title: "group", width: 10) { ($0.group ?? "", Style(.key)) })
        }
        columns += [
            RulesScreen.count("hits", \.hitCount, .plain),
            RulesScreen.count("changed", \.changedCount, .plain),
            RulesScreen.count("failed", \.failedCount, .bad),
        ]
        columns.append(
            Column(title: "last hit", width: 11) { rule in
                let time = rule.usage?.lastHitNs.map { context.clock.short($0, now: context.now) }
                return (time ?? "", Style(.dim))
            })
        return columns
    }

    /// Formats a count: `-` if no daemon counts, dim if zero.
    private static func count(
        _ title: String, _ path: any KeyPath<RuleFacts.Usage, Int> & Sendable, _ role: Style.Role
    ) -> Column {
        Column(title: title, width: 7, isRight: true) { rule in
            guard let count = rule.usage?[keyPath: path] else { return ("-", Style(.dim)) }
            return (Quantity.grouped(Int64(count)), Style(count == 0 ? .dim : role))
        }
    }

    private func drawHeadings(_ columns: [Column], _ canvas: Canvas) {
        let style = Style(.heading).adding(.bold)
        var column = 0
        for next in columns {
            canvas.draw(
                next.title, column: column, row: 0, width: next.width, isRight: next.isRight, style)
            column += next.width + 1
        }
        canvas.draw("when", column: column, row: 0, width: canvas.columns - column, style)
        canvas.tint(row: 0, .bar)
    }

    private func draw(_ rule: RuleFacts, _ columns: [Column], _ canvas: Canvas, _ row: Int) {
        var column = 0
        for next in columns {
            let (text, style) = next.text(rule)
            canvas.draw(
                text, column: column, row: row, width: next.width, isRight: next.isRight, style)
            column += next.width + 1
        }
        let filter = rule.filter.isEmpty ? "everything" : rule.filter
        canvas.draw(
            filter, column: column, row: row, width: canvas.columns - column,
            Style(rule.filter.isEmpty || !rule.isEnabled ? .dim : .accent))
    }

    // MARK: The bottom line

    private func drawInformation(_ canvas: Canvas) {
        canvas.fill(" ", Style(.plain, on: .bar))
        canvas.drawFitted(information, row: 0)
        canvas.tint(row: 0, .bar)
    }

    /// Errors first, then where changes go, and the path of the file.
    private var information: StyledText {
        var line = StyledText()
        guard let report else { return line }
        if let first = report.problems.first {
            let more = report.problems.count - 1
            line.append(" \(RulesScreen.short(first, report))", Style(.bad).adding(.bold))
            if more > 0 {
                line.append("  and \(Quantity.count(more, "mistake")) more", Style(.bad))
            }
            if report.isDaemonRunning { line.append("  the old rules stay in force") }
            return line
        }
        if isTemporary { line.append(" ~ changes are temporary", Style(.notice).adding(.bold)) }
        line.append(" \(Quantity.count(rules.count, "rule"))")
        if !report.isDaemonRunning { line.append("  no daemon is running", Style(.warning)) }
        for remark in report.remarks { line.append("  \(remark)", Style(.notice)) }
        line.append("  \(report.file)", Style(.dim))
        return line
    }

    /// An error with the file's name instead of its path.
    static func short(_ problem: String, _ report: RulesReport?) -> String {
        guard let report, problem.hasPrefix(report.file + ":"),
            let slash = report.file.lastIndex(of: "/")
        else { return problem }
        return String(report.file[slash...].dropFirst() + problem.dropFirst(report.file.count))
    }
}
