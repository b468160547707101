public import ProxydHTTPModel

/// Names in a store that recorded its exchanges itself: their numbers.
extension ExchangeReading {
    public func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), name.storeName == nil else { return nil }
        return ExchangeID(rawValue: name.number)
    }

    public func name(of id: ExchangeID) throws(StoreError) -> String { id.description }
}
