internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydHTTPModel

/// The tab Changes: what each rule did, then received and forwarded data compared line by line.
struct ChangeLines {
    let exchange: Exchange
    /// Nil while the comparison is in progress.
    let result: ChangeWork.Result?

    /// The widths of the columns for a rule's name and a phase; longer names push the rest to the
    /// right.
    private static let nameColumnCount = 20
    private static let phaseColumnCount = 10
    private static let outcomeColumnCount = 12

    func lines() -> [StyledText] {
        var lines = rules()
        guard let result else {
            return lines + (exchange.isChanged ? [StyledText("comparing…", .dim)] : [])
        }
        for section in result.sections {
            if !lines.isEmpty { lines.append(StyledText()) }
            var heading = StyledText(section.title, .heading)
            let receiver = section.title == "Request" ? "server" : "client"
            heading.append("  - as received, + as sent to the \(receiver)", .dim)
            lines.append(heading)
            lines += section.lines.map { $0.text.marked($0.sign, on: $0.background) }
        }
        return lines
    }

    private func rules() -> [StyledText] {
        guard !exchange.appliedRules.isEmpty else { return [] }
        return [StyledText("rules", .heading)] + exchange.appliedRules.map(ChangeLines.line)
    }

    private static func line(_ rule: AppliedRule) -> StyledText {
        var line = StyledText("  ")
        line.append(rule.rule, .key)
        line.pad(to: 2 + nameColumnCount)
        line.append(rule.phase.rawValue, .dim)
        line.pad(to: 2 + nameColumnCount + phaseColumnCount)
        line.append(rule.outcome, rule.outcome == "failed" ? .bad : .plain)
        if let detail = rule.detail {
            line.pad(to: 2 + nameColumnCount + phaseColumnCount + outcomeColumnCount)
            line.append(detail, .dim)
        }
        line.indent = 2
        return line
    }
}

extension Exchange {
    /// Whether anything was forwarded that differs from what was received.
    var isChanged: Bool {
        request.sentHead != nil || request.sentBody != nil || response?.sentHead != nil
            || response?.sentBody != nil
    }
}

extension StyledText {
    /// Appends spaces up to a column, at least one.
    fileprivate mutating func pad(to column: Int) {
        append(String(repeating: " ", count: max(1, column - columnCount)))
    }
}
