public import ProxydHTTPModel

/// Names in a store that recorded its exchanges itself: their numbers.
extension ExchangeReading {
    /// Returns the exchange with a name, which in a local store is its number; nil if the text is
    /// not one.
    public func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), name.storeName == nil else { return nil }
        return ExchangeID(rawValue: name.number)
    }

    /// Returns the name of an exchange, which in a local store is its number.
    public func name(of id: ExchangeID) throws(StoreError) -> String { id.description }
}
