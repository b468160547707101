internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations

/// The exchanges that an action can apply to: the selected one, the marked ones, and all that match
/// the filter.
struct ChosenRows: Sendable {
    let row: ExchangeRow
    var marked: [ExchangeID] = []
    /// The filter of the list, or nil if there is no list.
    var filter: Filter?

    /// One of the choices in a dialog.
    struct Choice: Sendable {
        let name: String
        let selection: ExportOrder.Selection
    }

    /// The choices: the marked exchanges first if there are any, otherwise those that match the
    /// filter.
    var choices: [Choice] {
        let one = Choice(name: "this one", selection: .exchanges([row.id]))
        let many = Choice(name: "\(marked.count) marked", selection: .exchanges(marked))
        let all = filter.map { filter in
            Choice(
                name: filter.matchesEverything ? "everything" : "what the filter shows",
                selection: .filter(filter.text))
        }
        let found = marked.isEmpty ? [all, one] : [many, one, all]
        return found.compactMap { $0 }
    }
}
