/// A name that was typed for a filter.
struct FilterName: Sendable, Hashable {
    let name: String
    let filter: String

    /// The dialog that asks for a name.
    static func prompt(_ name: String) -> PromptScreen { PromptScreen("Name of this filter", name) }

    /// Saves the filter under the name. Returns the notice for the hint line; throws why the name
    /// is invalid.
    func save(in memory: inout FilterMemory) throws(Refusal) -> Notice {
        guard SavedFilter.isName(name) else { throw Refusal(words: SavedFilter.nameRule) }
        let former = memory.save(SavedFilter(name: name, text: filter))
        let words =
            former.map { "\(name) now names this filter; before, it was \($0.text)" }
            ?? "saved as \(name): B lists it, @\(name) and Tab put it into the filter bar"
        return .success(words)
    }

    struct Refusal: Error {
        let words: String
    }
}
