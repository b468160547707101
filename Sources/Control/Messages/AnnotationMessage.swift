/// A change to the annotations of an exchange. Nil or missing values are left unchanged.
public struct AnnotationMessage: Sendable, Hashable, Codable {
    /// The number of the exchange.
    public var exchangeID: Int64
    /// The new note; empty removes it, nil leaves it unchanged.
    public var note: String?
    /// Tags to add.
    public var addedTags: [String]
    /// Tags to remove.
    public var removedTags: [String]
    /// Whether retention must keep the exchange; nil leaves it unchanged.
    public var isPinned: Bool?

    /// Creates a change.
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
