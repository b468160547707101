internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange

/// The exchanges that a filter selects, oldest first, read one by one.
///
/// Exchanges recorded from now on are excluded, because replays would be replayed endlessly.
struct ReplaySelection: ReplaySource, Sendable {
    private static let pageCount = 100

    private let reader: any ExchangeReading
    private let filter: Filter
    /// The newest exchange at the start.
    let last: ExchangeID
    private var position = ExchangeID(rawValue: 0)
    private var page: ArraySlice<ExchangeRow> = []

    init(_ reader: any ExchangeReading, _ filter: Filter) throws {
        self.reader = reader
        self.filter = filter
        last = try StoreAccess.attempt { () throws(StoreError) in
            try reader.lastExchangeID() ?? ExchangeID(rawValue: 0)
        }
    }

    mutating func next() throws -> Exchange? {
        while true {
            if page.isEmpty {
                page = try nextPage()[...]
                if page.isEmpty { return nil }
            }
            guard let row = page.popFirst(), row.id <= last else { return nil }
            position = row.id
            if let exchange = try ReplaySelection.exchange(row, reader) { return exchange }
        }
    }

    private func nextPage() throws -> [ExchangeRow] {
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.rows(
                matching: filter, .after(position), limit: ReplaySelection.pageCount)
        }
    }

    /// Reads an exchange with its bodies, or returns nil if it was deleted.
    static func exchange(_ row: ExchangeRow, _ reader: any ExchangeReading) throws -> Exchange? {
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.captured(row)?.exchange
        }
    }
}
