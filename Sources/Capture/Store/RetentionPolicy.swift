/// How much the store keeps. Pinned exchanges stay, whatever the limits.
public struct RetentionPolicy: Sendable, Hashable {
    /// Exchanges older than this many seconds are removed; nil for no limit.
    public var ageMaxSeconds: Int64?
    /// The maximum number of exchanges; nil for no limit.
    public var exchangeCountMax: Int64?
    /// The maximum size of the database file in bytes, without free pages; nil for no limit.
    public var storeByteCountMax: Int64?
    /// Whether exchanges stay until they are delivered to a central store, as long as the disk has
    /// room. Means nothing for a store that was never delivered.
    public var waitsForDelivery = true

    /// Creates a policy, without limits by default.
    public init(
        ageMaxSeconds: Int64? = nil, exchangeCountMax: Int64? = nil, storeByteCountMax: Int64? = nil
    ) {
        self.ageMaxSeconds = ageMaxSeconds
        self.exchangeCountMax = exchangeCountMax
        self.storeByteCountMax = storeByteCountMax
    }
}
