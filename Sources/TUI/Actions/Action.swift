/// Something a person can do: one entry of the one table that dispatches keys, fills help and
/// palette, and is documented.
struct Action: Sendable, Hashable {
    /// Where an action applies.
    enum Place: String, Sendable, Hashable, CaseIterable {
        /// On every screen that is not a line of text being typed.
        case everywhere
        /// On every screen with something to move about in.
        case moving
        case list, tree, detail, messages, waterfall, summary, diff, compose, comparison, rules
        case help
        /// The saved filters, and the choice of columns.
        case filters, columns
        /// What is held, and one held message as lines.
        case holds, held
        /// While a text is typed.
        case typing
    }

    let id: ActionID
    /// The keys that do it, the one to show first.
    let keys: [Key]
    let places: Set<Place>
    /// One line for a person, in the imperative.
    let help: String
    /// Whether the line of hints has it, and under which short word.
    let hint: String?

    init(
        _ id: ActionID, _ keys: [Key], _ places: Set<Place>, _ help: String, hint: String? = nil
    ) {
        self.id = id
        self.keys = keys
        self.places = places
        self.help = help
        self.hint = hint
    }
}
