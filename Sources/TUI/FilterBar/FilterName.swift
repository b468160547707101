/// A name that was typed for a filter.
struct FilterName: Sendable, Hashable {
    let name: String
    let filter: String

    /// Asks for the name of a filter.
    static func asking(for filter: String, _ name: String) -> Effect {
        .open(
            PromptScreen("Name of this filter", name) { FilterName(name: $0, filter: filter) })
    }

    /// Saves the filter under the name, and says so; asks again where it cannot be one.
    func save(in memory: inout ListMemory) -> [Effect] {
        guard SavedFilter.isName(name) else {
            return [
                FilterName.asking(for: filter, name), .notify(.problem(SavedFilter.nameRule)),
            ]
        }
        let former = memory.filters.save(SavedFilter(name: name, text: filter))
        let words =
            former.map { "\(name) is this filter now; it was \($0.text)" }
            ?? "saved as \(name): B lists it, @\(name) and Tab put it into the filter bar"
        return [memory.storing(), .notify(.success(words))]
    }
}
