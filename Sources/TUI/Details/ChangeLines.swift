internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydHTTPModel

/// The tab Changes: what each rule did, then what came beside what went, line by line.
struct ChangeLines {
    let exchange: Exchange
    /// nil while it is being compared.
    let result: ChangeWork.Result?

    /// Columns of a rule's name and of a phase; longer names push the rest to the right.
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
            heading.append("  - as it came, + as it went to the \(receiver)", .dim)
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
    /// Whether something went on that is not what came.
    var isChanged: Bool {
        request.sentHead != nil || request.sentBody != nil || response?.sentHead != nil
            || response?.sentBody != nil
    }
}

extension StyledText {
    /// Adds blanks up to a column; one at least.
    fileprivate mutating func pad(to column: Int) {
        append(String(repeating: " ", count: max(1, column - columnCount)))
    }
}
