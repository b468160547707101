public import ProxydHTTPModel

/// What one commit changed, for those who follow the store live.
public struct StoreChange: Sendable, Hashable {
    /// Exchanges that are new.
    public var inserted: [ExchangeID] = []
    /// Exchanges of which more is known, or whose annotations changed.
    public var updated: [ExchangeID] = []
    /// Exchanges that are gone.
    public var removed: [ExchangeID] = []

    /// A change.
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

/// A change to what people added to an exchange; nil leaves a part as it is.
public struct AnnotationChange: Sendable, Hashable {
    /// Which exchange.
    public var id: ExchangeID
    /// The new note; an empty one removes it.
    public var note: String?
    /// Tags to add behind the others; those it has already stay where they are.
    public var addedTags: [String]
    /// Tags to take away.
    public var removedTags: [String]
    /// Whether retention must leave it alone.
    public var isPinned: Bool?

    /// A change.
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

/// What `clear` removes.
public enum ClearSelection: Sendable, Hashable {
    /// Everything that is not pinned.
    case unpinned
    /// Everything.
    case all
    /// These, pinned or not.
    case exchanges([ExchangeID])
}
