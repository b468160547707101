public import ProxydHTTPModel

/// What one commit changed, for subscribers that follow the store live.
public struct StoreChange: Sendable, Hashable {
    /// New exchanges.
    public var inserted: [ExchangeID] = []
    /// Exchanges with new data or changed annotations.
    public var updated: [ExchangeID] = []
    /// Deleted exchanges.
    public var removed: [ExchangeID] = []

    /// Creates a change.
    public init(
        inserted: [ExchangeID] = [], updated: [ExchangeID] = [], removed: [ExchangeID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.removed = removed
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }
}

/// A change to the annotations of an exchange; properties that are nil or empty change nothing.
public struct AnnotationChange: Sendable, Hashable {
    /// The exchange to change.
    public var id: ExchangeID
    /// The new note; an empty one removes it, and nil leaves it as it is.
    public var note: String?
    /// Tags to add after the existing ones; tags it already has stay where they are.
    public var addedTags: [String]
    /// Tags to remove.
    public var removedTags: [String]
    /// Whether the exchange is pinned, so that retention keeps it; nil leaves it as it is.
    public var isPinned: Bool?

    /// Creates an annotation change.
    public init(
        id: ExchangeID, note: String? = nil, addedTags: [String] = [], removedTags: [String] = [],
        isPinned: Bool? = nil
    ) {
        self.id = id
        self.note = note
        self.addedTags = addedTags
        self.removedTags = removedTags
        self.isPinned = isPinned
    }
}

/// Which exchanges `clear` removes.
public enum ClearSelection: Sendable, Hashable {
    /// All exchanges that are not pinned.
    case unpinned
    /// All exchanges.
    case all
    /// The exchanges with these numbers, pinned or not.
    case exchanges([ExchangeID])
}
