/// Recently used filters, and saved ones.
struct FilterMemory: Sendable, Hashable {
    /// The maximum number of filters in the history.
    static let historyCountMax = 200
    /// Longer filters were pasted by mistake, and would push all others out of the file.
    private static let filterByteCountMax = 4_096

    /// The history, newest last.
    private(set) var history: [String] = []
    /// The saved filters in the order they were saved; names and texts are unique.
    private(set) var saved: [SavedFilter] = []

    mutating func remember(_ filter: String) {
        guard FilterMemory.isKept(filter) else { return }
        history.removeAll { $0 == filter }
        history.append(filter)
        history = history.suffix(FilterMemory.historyCountMax)
    }

    /// Saves a filter without a name, or removes it; returns whether it is saved now.
    mutating func toggleSaved(_ text: String) -> Bool {
        guard FilterMemory.isKept(text) else { return false }
        if let index = saved.firstIndex(where: { $0.text == text }) {
            saved.remove(at: index)
            return false
        }
        saved.append(SavedFilter(text: text))
        return true
    }

    /// Saves a filter, at the previous position of its text or name. Returns the other filter that
    /// lost the name to it.
    @discardableResult
    mutating func save(_ filter: SavedFilter) -> SavedFilter? {
        guard FilterMemory.isKept(filter.text) else { return nil }
        let former = saved.first { $0.name == filter.name && filter.name != nil }
        let isSame = { (other: SavedFilter) in
            other.text == filter.text || filter.name != nil && other.name == filter.name
        }
        let index = saved.firstIndex(where: isSame) ?? saved.count
        saved.removeAll(where: isSame)
        saved.insert(filter, at: index)
        return former?.text == filter.text ? nil : former
    }

    mutating func forget(_ filter: SavedFilter) { saved.removeAll { $0 == filter } }

    /// The name under which a filter was saved.
    func name(of text: String) -> String? { saved.first { $0.text == text }?.name }

    /// Merges what another memory added and removed since it was equal to `former`.
    mutating func take(_ other: FilterMemory, since former: FilterMemory) {
        for filter in other.history { remember(filter) }
        for filter in former.saved where !other.saved.contains(filter) { forget(filter) }
        for filter in other.saved where !former.saved.contains(filter) { save(filter) }
    }

    /// Whether a filter is worth a line in the file.
    static func isKept(_ filter: String) -> Bool {
        !filter.isEmpty && filter.utf8.count <= filterByteCountMax
    }
}
