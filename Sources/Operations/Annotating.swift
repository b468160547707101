public import ProxydHTTPModel

/// A change to an exchange's annotations.
public struct Annotation: Sendable, Hashable {
    /// The exchange to change.
    public var id: ExchangeID
    /// The new note; empty removes it, nil leaves it as it is.
    public var note: String?
    /// Tags to add.
    public var addedTags: [String]
    /// Tags to remove.
    public var removedTags: [String]
    /// Whether the exchange is pinned; nil leaves it as it is.
    public var isPinned: Bool?

    /// Creates an annotation change, by default of nothing.
    public init(
        id: ExchangeID, note: String? = nil, addedTags: [String] = [],
        removedTags: [String] = [], isPinned: Bool? = nil
    ) {
        self.id = id
        self.note = note
        self.addedTags = addedTags
        self.removedTags = removedTags
        self.isPinned = isPinned
    }
}

/// Writes notes, tags and pins, through the daemon if one is running.
public protocol Annotating: Sendable {
    /// Makes the changes; returns when they are in the store. Throws an error message for the user.
    func annotate(_ changes: [Annotation]) throws
}
