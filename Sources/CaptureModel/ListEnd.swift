internal import ProxydHTTPModel

/// The newest exchange of a store at some moment: what follows it in lists came later.
public struct ListEnd: Sendable, Hashable {
    /// Its place in the order of lists; 0 if the store was empty.
    public let place: Int64

    /// Reads where the list of a store ends now.
    public init(of reader: any ExchangeReading) throws(StoreError) {
        let last = try reader.lastExchangeID()
        place = try last.flatMap { (id) throws(StoreError) in try reader.row(id)?.place } ?? 0
    }

    /// Whether an exchange is not after the end.
    public func includes(_ row: ExchangeRow) -> Bool { row.place <= place }

    /// The share of the list that is done after a row, if it started at a place; as `Double`, the
    /// distance between any two places cannot overflow.
    public func share(through row: ExchangeRow, from first: Int64) -> Double {
        let all = Double(place) - Double(first) + 1
        return all > 0 ? min(1, max(0, (Double(row.place) - Double(first) + 1) / all)) : 1
    }
}

extension ExchangeRow {
    /// The row's place in the order of lists: its number, or in a central store, where numbers are
    /// those of many machines, when it started.
    public var place: Int64 { storeName == nil ? id.rawValue : startedAtNs }
}
