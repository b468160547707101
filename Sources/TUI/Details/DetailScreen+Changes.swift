internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The tab Changes: what rules did, and what was forwarded instead of what was received.
extension DetailScreen {
    /// Whether there is anything to show.
    var hasChanges: Bool { !row.rules.isEmpty || subject?.exchange.isChanged == true }

    /// Compares received and forwarded data, unless the result is already final.
    mutating func openChanges() -> [Effect] {
        guard let exchange = subject?.exchange else { return [] }
        showChanges()
        let isDone = changes?.id == row.id && changes?.isFinal == true
        return exchange.isChanged && !isDone ? [.work(ChangeWork.compare(row.id))] : []
    }

    /// Takes over the result of the comparison.
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
        pages[.changes] = DetailPage(
            head: ChangeLines(exchange: exchange, result: result).lines())
        if let pager { pages[.changes]?.pager = pager }
    }
}
