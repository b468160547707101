public import ProxydHTTPModel

/// An exchange with everything the store has of it: what is shown, sent again and exported.
public struct CapturedExchange: Sendable {
    /// Its line of a list.
    public var row: ExchangeRow
    /// Its heads, bodies and moments.
    public var exchange: Exchange
    /// The octets of a request head that could not be parsed; nil for all others.
    public var malformedHead: [UInt8]?
    /// Parts that redaction left out because nobody can look into them: `request body`.
    public var leftOut: [String] = []

    /// An exchange that was read from a store.
    public init(row: ExchangeRow, exchange: Exchange, malformedHead: [UInt8]? = nil) {
        self.row = row
        self.exchange = exchange
        self.malformedHead = malformedHead
    }
}
