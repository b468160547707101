/// A part of the filter language's manual.
public struct FilterSection: Sendable, Hashable {
    /// The heading.
    public let title: String
    /// A sentence or two that hold for all entries; nil where there is nothing to say.
    public let note: String?
    /// What belongs here.
    public let entries: [FilterEntry]

    init(_ title: String, _ note: String? = nil, _ entries: [FilterEntry]) {
        self.title = title
        self.note = note
        self.entries = entries
    }
}
