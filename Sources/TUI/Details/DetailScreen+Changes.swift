internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation

/// The tab Changes: what rules did, and what was forwarded instead of what was received.
extension DetailScreen {
    var hasChanges: Bool { !row.rules.isEmpty || subject?.exchange.isChanged == true }

    /// Compares received and forwarded data, unless the result is already final.
    mutating func openChanges() -> [Effect] {
        guard let exchange = subject?.exchange else { return [] }
        showChanges()
        let isDone = changes?.id == row.id && changes?.isFinal == true
        return exchange.isChanged && !isDone ? [.work(ChangeWork.compare(row.id))] : []
    }

    mutating func take(_ result: ChangeWork.Result, _ context: Context) -> [Effect] {
        guard result.id == row.id else { return [] }
        changes = result
        showChanges()
        return more(context)
    }

    /// Rebuilds the lines of the page; the cursor stays where it is.
    private mutating func showChanges() {
        guard let exchange = subject?.exchange else { return }
        let result = changes?.id == row.id ? changes : nil
        let pager = pages[.changes]?.pager
        pages[.changes] = DetailPage(head: ChangeLines(exchange: exchange, result: result).lines())
        if let pager { pages[.changes]?.pager = pager }
    }
}

/// The tab Changes: what each rule did, then received and forwarded data compared line by line.
struct ChangeLines {
    let exchange: Exchange
    /// Nil while the comparison is in progress.
    let result: ChangeWork.Result?

    /// Column widths for a rule's name and a phase; longer names push the rest to the right.
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

enum ChangeWork {
    static let slot = "changes"

    struct Result: Sendable {
        let id: ExchangeID
        /// The messages that were changed before they were forwarded.
        let sections: [DiffSection]
        /// Whether the exchange had ended, so that the result is final.
        let isFinal: Bool
    }

    static func compare(_ id: ExchangeID) -> Work<DetailScreen.News> {
        Work(slot, on: .details, isQuiet: true) { context in
            let exchange = try context.exchanges
                .exchange(id, bodyByteCountMax: BodyLines.byteCountMax)
                .orFail("the exchange is no longer in the store")
            let sections = try MessageChanges.sections(of: exchange, context.isCancelled)
            return .compared(Result(id: id, sections: sections, isFinal: exchange.state != .active))
        }
    }
}
