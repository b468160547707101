/// A change to what people added to an exchange. What is not named stays as it is.
public struct AnnotationMessage: Sendable, Hashable, Codable {
    /// Which exchange.
    public var exchangeID: Int64
    /// The new note; empty removes it, nil leaves it.
    public var note: String?
    /// Tags to add.
    public var addedTags: [String]
    /// Tags to remove.
    public var removedTags: [String]
    /// Whether retention must leave the exchange alone; nil leaves it as it is.
    public var isPinned: Bool?

    /// A change.
    public init(
        exchangeID: Int64, note: String? = nil, addedTags: [String] = [],
        removedTags: [String] = [], isPinned: Bool? = nil
    ) {
        self.exchangeID = exchangeID
        self.note = note
        self.addedTags = addedTags
        self.removedTags = removedTags
        self.isPinned = isPinned
    }
}
