public import ProxydHTTPModel

/// What changes about an exchange's annotations.
public struct Annotation: Sendable, Hashable {
    /// Which exchange.
    public var id: ExchangeID
    /// The new note; empty removes it, nil leaves it.
    public var note: String?
    /// Tags to add.
    public var addedTags: [String]
    /// Tags to take away.
    public var removedTags: [String]
    /// Pins or unpins it; nil leaves it.
    public var isPinned: Bool?

    /// A change of nothing yet.
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

/// Writes notes, tags and pins: through the daemon where one runs.
public protocol Annotating: Sendable {
    /// Makes the changes; returns when they are in the store. Throws what a person is told.
    func annotate(_ changes: [Annotation]) throws
}
