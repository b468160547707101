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
    /// The end of the list at the start.
    private let end: ListEnd
    private let newest: ExchangeID
    private var position = PageDirection.oldest
    private var page: ArraySlice<ExchangeRow> = []

    init(_ reader: any ExchangeReading, _ filter: Filter) throws {
        self.reader = reader
        self.filter = filter
        end = try StoreAccess.attempt { () throws(StoreError) in try ListEnd(of: reader) }
        newest = try StoreAccess.attempt { () throws(StoreError) in
            try reader.lastExchangeID() ?? ExchangeID(rawValue: 0)
        }
    }

    /// The number of the newest exchange at the start, for a share of progress.
    var lastNumber: Int64 { newest.rawValue }

    mutating func next() throws -> Exchange? {
        while true {
            if page.isEmpty {
                page = try nextPage()[...]
                if page.isEmpty { return nil }
            }
            guard let row = page.popFirst(), end.includes(row) else { return nil }
            position = .after(row.id)
            if let exchange = try ReplaySelection.exchange(row, reader) { return exchange }
        }
    }

    private func nextPage() throws -> [ExchangeRow] {
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.rows(
                matching: filter, position, limit: ReplaySelection.pageCount)
        }
    }

    /// Reads an exchange with its bodies, or returns nil if it was deleted.
    static func exchange(_ row: ExchangeRow, _ reader: any ExchangeReading) throws -> Exchange? {
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.captured(row)?.exchange
        }
    }
}
