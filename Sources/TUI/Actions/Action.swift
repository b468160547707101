/// Something a user can do: an entry in the single table that dispatches keys, fills the help and
/// the command palette, and is documented.
struct Action: Sendable, Hashable {
    /// Where an action applies.
    enum Place: String, Sendable, Hashable, CaseIterable {
        /// On every screen except while a text is being typed.
        case everywhere
        /// On every screen with something to move around in.
        case moving
        case list, tree, detail, messages, waterfall, summary, diff, compose, comparison, rules
        /// Two sets of exchanges, compared.
        case traffic
        case help
        /// The saved filters, and the choice of columns.
        case filters, columns
        /// The list of holds, and one held message as lines.
        case holds, held
        /// While a text is being typed.
        case typing
    }

    let id: ActionID
    /// The keys that trigger the action; the first one is shown.
    let keys: [Key]
    let places: Set<Place>
    /// A one-line description for users, in the imperative.
    let help: String
    /// The short label in the hint line, or nil if the action is not listed there.
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
