/// How far a store was delivered to a central store.
public struct DeliveryMessage: Sendable, Hashable, Codable {
    /// All exchanges up to this number were delivered; 0 announces that deliveries will follow.
    public var through: Int64
    /// A random number that the central store keeps too.
    public var mark: Int64
    /// All changes by users up to this sequence number were delivered.
    public var changesThrough: Int64

    /// Creates a message.
    public init(through: Int64, mark: Int64, changesThrough: Int64) {
        self.through = through
        self.mark = mark
        self.changesThrough = changesThrough
    }
}
