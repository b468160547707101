internal import Capture
internal import HTTPModel

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

    /// The choices; what is marked comes first where anything is.
    var choices: [Choice] {
        let one = Choice(name: "this one", selection: .exchanges([row.id]))
        let many = Choice(name: "\(marked.count) marked", selection: .exchanges(marked))
        var choices = marked.isEmpty ? [one] : [many, one]
        if let filter {
            let name = filter.matchesEverything ? "everything" : "what the filter shows"
            choices.append(Choice(name: name, selection: .filter(filter.text)))
        }
        return choices
    }
}
