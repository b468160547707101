public import ProxydHTTPModel

/// An exchange with everything the store has of it, for display, replay and export.
public struct CapturedExchange: Sendable {
    /// The exchange's row in a list.
    public var row: ExchangeRow
    /// The exchange's heads, bodies and timeline.
    public var exchange: Exchange
    /// The bytes of a request head that could not be parsed, or nil if it could.
    public var malformedHead: [UInt8]?
    /// Parts that redaction omitted because they cannot be decoded, such as `request body`.
    public var leftOut: [String] = []

    /// Creates a captured exchange from parts that were read from a store.
    public init(row: ExchangeRow, exchange: Exchange, malformedHead: [UInt8]? = nil) {
        self.row = row
        self.exchange = exchange
        self.malformedHead = malformedHead
    }
}
