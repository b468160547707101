internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Chosen exchanges of a store, each read when it is needed. Deleted ones are omitted.
struct ChosenExchanges: ReplaySource, Sendable {
    private let reader: any ExchangeReading
    private var ids: ArraySlice<ExchangeID>

    init(_ reader: any ExchangeReading, _ ids: [ExchangeID]) {
        self.reader = reader
        self.ids = ids[...]
    }

    mutating func next() throws -> Exchange? {
        while let id = ids.popFirst() {
            let row = try StoreAccess.attempt { () throws(StoreError) in try reader.row(id) }
            if let row, let exchange = try ReplaySelection.exchange(row, reader) {
                return exchange
            }
        }
        return nil
    }
}
