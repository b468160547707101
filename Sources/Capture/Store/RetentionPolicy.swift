/// How much the store keeps. What is pinned stays, whatever the limits say.
public struct RetentionPolicy: Sendable, Hashable {
    /// Exchanges older than this go, in seconds; nil keeps them.
    public var ageMaxSeconds: Int64?
    /// At most this many exchanges; nil for no limit.
    public var exchangeCountMax: Int64?
    /// At most this many octets in the database file, free pages not counted; nil for no limit.
    public var storeByteCountMax: Int64?

    /// Limits, none by default.
    public init(
        ageMaxSeconds: Int64? = nil, exchangeCountMax: Int64? = nil, storeByteCountMax: Int64? = nil
    ) {
        self.ageMaxSeconds = ageMaxSeconds
        self.exchangeCountMax = exchangeCountMax
        self.storeByteCountMax = storeByteCountMax
    }
}
