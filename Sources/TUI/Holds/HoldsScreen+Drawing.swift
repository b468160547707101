internal import ProxydPresentation
internal import ProxydTerminalText
internal import ProxydOperations

extension HoldsScreen {
    func draw(into canvas: Canvas, _ context: Context) {
        drawTitle(canvas.part(rows: 1), context)
        let holds = context.status.holds
        guard !holds.isEmpty else {
            for (row, line) in nothing(context).enumerated() {
                canvas.draw(line, column: 2, row: row + 2, width: canvas.columns - 4, Style(.dim))
            }
            return
        }
        canvas.draw(
            "   waited     left  what      rule              message", row: 1,
            Style(.heading))
        let cursor = cursor(in: context)
        for (row, index) in cursor.visible.enumerated() {
            let line = row + HoldsScreen.barCount
            canvas.draw(HoldsScreen.line(holds[index], context.now), row: line)
            if index == cursor.selected { canvas.tint(row: line, .selection) }
        }
    }

    private func drawTitle(_ canvas: Canvas, _ context: Context) {
        var line = StyledText(" Held", Style(.heading).adding(.bold))
        let isOn = context.status.isTakingHolds
        line.append(
            isOn ? "  holding is on" : "  holding is off: rules hold nothing",
            isOn ? Style(.good) : Style(.warning))
        canvas.draw(line, row: 0)
        canvas.tint(row: 0, .bar)
    }

    private func nothing(_ context: Context) -> [String] {
        if context.status.isDaemonRunning != true {
            return ["proxyd is not running: nothing can be held."]
        }
        guard context.status.isTakingHolds else {
            return [
                "B turns holding on: from then on, rules with { hold = true } hold messages here.",
                "A held message that gets no decision goes on by itself after a while.",
            ]
        }
        return [
            "Nothing is held now. A rule selects what to hold:",
            "proxyctl rule add stop --when 'method=POST path:/pay' --request hold",
            "Messages are held only while holding is on; B turns it off.",
        ]
    }

    private static func line(_ facts: HeldFacts, _ now: Int64) -> StyledText {
        var line = StyledText(facts.openedBy == nil ? " " : "✎", Style(.notice))
        let waited = Quantity.duration(max(0, now &- facts.since))
        let left = Quantity.duration(max(0, facts.deadline &- now))
        line.append(padded(waited, 8, isRight: true), Style(.plain))
        line.append(padded(left, 9, isRight: true), Style(.dim))
        line.append("  " + padded(facts.isRequest ? "request" : "response", 9), Style(.key))
        line.append(" " + padded(facts.rule, 17), Style(.accent))
        if let name = facts.openedBy { line.append(" claimed by \(name)", Style(.notice)) }
        if let status = facts.status { line.append(" \(status)", Style(.notice)) }
        line.append(" \(facts.method) ", Style(.plain).adding(.bold))
        line.append(facts.url)
        return line
    }

    private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let text = TerminalText.sanitize(text)
        guard text.count < width else { return String(text.prefix(width)) }
        let blanks = String(repeating: " ", count: width - text.count)
        return isRight ? blanks + text : text + blanks
    }
}
