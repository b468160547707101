internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRules

/// A source of rows: the store, or a script in tests. Confined to one thread.
protocol RowSource: Sendable {
    /// Returns a page of rows in an order, starting at an anchor. `progress` receives the share of
    /// the rows that was scanned, 0 to 1, if there are many.
    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage
    /// Returns the rows of some exchanges; those that no longer exist are omitted.
    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow]
    /// Returns the name of an exchange for users.
    func name(of id: ExchangeID) throws -> String
    /// Returns the rows above a number that match a filter, ascending; `progress` as for `page`.
    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow]
    /// Returns how many rows match a filter. `progress` receives the count so far.
    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64
    /// Returns the extent of the store.
    func extent() throws -> StoreExtent
    /// Returns the values that occur in a column, for completion.
    func values(of column: SortColumn) throws -> [String]
    /// Returns what is one level below a place of the tree, for rows that match a filter.
    /// `progress` receives the result so far and the share of the store that was scanned.
    func branches(
        of place: PathPlace, _ filter: Filter, progress: (Branches, Double?) -> Void
    ) throws -> Branches
    /// Returns a summary of the rows that match a filter; `progress` as for `branches`.
    func summary(
        _ filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws -> ExchangeSummary
    /// Returns the timelines of some exchanges; those that no longer exist are omitted.
    func timelines(_ ids: [ExchangeID]) throws -> [ExchangeID: Timeline]
}

extension RowSource {
    func page(_ request: RowRequest) throws -> RowPage { try page(request) { _ in } }

    func newer(than id: ExchangeID, _ filter: Filter, count: Int) throws -> [ExchangeRow] {
        try newer(than: id, filter, count: count) { _ in }
    }
}

/// The extent of the store, a cheap way to detect changes.
struct StoreExtent: Sendable, Hashable {
    /// Tells the store apart from one that replaces it.
    var storeNumber: UInt64 = 0
    /// Whether lists are in the order of exchange numbers; otherwise new ones may come anywhere.
    var isOrderedByNumber = true
    /// The number of exchanges.
    var exchangeCount: Int64
    /// The highest exchange number; 0 if the store is empty.
    var lastID: Int64
    /// Changes whenever another connection writes.
    var changeNumber: Int64
}

/// A source of exchanges. Confined to one thread.
protocol ExchangeSource: Sendable {
    /// Returns a whole exchange, with at most `bodyByteCountMax` bytes of each body, or nil if it
    /// does not exist.
    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws -> Exchange?
    /// Returns the bytes of a head as received, or nil if there is none.
    func headBytes(_ id: ExchangeID, _ message: StoredMessage) throws -> [UInt8]?
    /// Passes the stored bytes of a body on in chunks until the closure returns false.
    func forEachBodyChunk(
        _ id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) -> Bool
    ) throws
    /// Returns a page of at most `limit` messages of an exchange, in the page's order, with at most
    /// `byteCountMax` bytes of each.
    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws -> [MessageRow]
    /// Returns the position of an exchange's last message, or nil if it has none.
    func lastMessagePosition(of id: ExchangeID) throws -> Int64?
    /// Returns how the gRPC messages of an exchange are decoded, or nil if that is unknown.
    func grpcReading(of id: ExchangeID) throws -> GRPCReading?
    /// Returns what is compared of the exchanges that match a filter, as `ComparedExchange.side`.
    func compared(
        _ filter: Filter, _ matching: MockMatching, anyServer: Bool, progress: (Int) -> Void
    ) throws -> ComparedExchange.Side
}
