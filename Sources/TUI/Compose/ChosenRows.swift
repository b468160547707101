internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// What an action on several exchanges can be about, as the screen has it: the selected one, the
/// marked ones, and all that a filter shows.
struct ChosenRows: Sendable {
    let row: ExchangeRow
    var marked: [ExchangeID] = []
    /// The filter of the list; nil where there is no list.
    var filter: Filter?

    /// One of the choices, as a dialog offers it.
    struct Choice: Sendable {
        let name: String
        let selection: ExportOrder.Selection
    }

    /// The choices: what is marked comes first where anything is, else what the filter shows.
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
