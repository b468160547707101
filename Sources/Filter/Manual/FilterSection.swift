/// A section of the filter language's manual.
public struct FilterSection: Sendable, Hashable {
    /// The heading.
    public let title: String
    /// A note that applies to all entries, or nil if there is none.
    public let note: String?
    /// The entries of the section, in reading order.
    public let entries: [FilterEntry]

    init(_ title: String, _ note: String? = nil, _ entries: [FilterEntry]) {
        self.title = title
        self.note = note
        self.entries = entries
    }
}
