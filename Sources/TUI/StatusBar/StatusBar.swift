internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydOperations

/// The last line: daemon, rows, size on disk, data that was dropped, mouse mode.
enum StatusBar {
    static func draw(_ app: App, into canvas: Canvas, now: Int64) {
        canvas.fill(" ", Style(.plain, on: .bar))
        let facts = app.status
        let right = right(app)
        let column = canvas.columns - right.columnCount
        canvas.part(columns: max(0, column - 1)).draw(left(facts, now), row: 0)
        canvas.draw(right, column: max(0, column), row: 0)
        canvas.tint(row: 0, .bar)
    }

    private static func left(_ facts: StatusFacts, _ now: Int64) -> StyledText {
        var line = StyledText()
        switch facts.isDaemonRunning {
        case true?: line.append(" ● proxyd", Style(.good))
        case false?: line.append(" ○ proxyd is down", Style(.warning))
        case nil: line.append(" ○ proxyd", Style(.dim))
        }
        if let oldest = facts.holds.first {
            let waited = Quantity.duration(max(0, now &- oldest.since))
            line.append(
                "  ⏸ \(facts.holds.count) (oldest \(waited))", Style(.warning).adding(.bold))
        } else if facts.isTakingHolds {
            line.append("  ⏸ 0", Style(.notice))
        }
        if let address = facts.listenAddresses.first { line.append(" \(address)", Style(.dim)) }
        if let reason = facts.recordingStoppedBecause {
            line.append("  not recording: \(reason)", Style(.bad).adding(.bold))
        } else if facts.isDaemonRunning == true {
            line.append("  recording")
        }
        if facts.droppedExchangeCount > 0 || facts.droppedBodyByteCount > 0 {
            line.append(
                "  lost \(Quantity.count(facts.droppedExchangeCount, "exchange")), "
                    + Quantity.bytes(facts.droppedBodyByteCount), Style(.bad).adding(.bold))
        }
        if let problem = facts.rulesProblem { line.append("  \(problem)", Style(.bad)) }
        return line
    }

    private static func right(_ app: App) -> StyledText {
        var line = StyledText()
        if !app.isMouseOn { line.append("mouse off  ", Style(.notice)) }
        if app.isBusy { line.append("… ", Style(.notice)) }
        if let count = app.status.exchangeCount {
            line.append(Quantity.count(count, "row", isGrouped: true))
        }
        if let size = app.status.storeByteCount { line.append("  \(Quantity.bytes(size))") }
        line.append(" ")
        return line
    }
}
