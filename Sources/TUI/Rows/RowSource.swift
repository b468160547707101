internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange

/// Where rows come from: the store, or a script in tests. Used by one thread.
protocol RowSource: Sendable {
    /// A page of rows in an order, from an anchor on. `progress` is told the share of the rows that
    /// was looked at, 0 to 1, where these are many.
    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage
    /// The rows of some exchanges; those that are gone are left out.
    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow]
    /// Rows that pass a filter with numbers above one, ascending; `progress` as with `page`.
    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow]
    /// How many rows pass a filter. `progress` is told how many are found so far.
    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64
    /// How far the store is.
    func extent() throws -> StoreExtent
    /// Values that occur in a column, for completion.
    func values(of column: SortColumn) throws -> [String]
    /// What lies one step below a place of the tree, of the rows that pass a filter. `progress`
    /// is told what was found so far, and the share of the store that was looked at.
    func branches(
        of place: PathPlace, _ filter: Filter, progress: (Branches, Double?) -> Void
    ) throws -> Branches
    /// Sums over the rows that pass a filter; `progress` as with `branches`.
    func summary(
        _ filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws -> ExchangeSummary
    /// When things happened in some exchanges; those that are gone are left out.
    func timelines(_ ids: [ExchangeID]) throws -> [ExchangeID: Timeline]
}

extension RowSource {
    func page(_ request: RowRequest) throws -> RowPage { try page(request) { _ in } }

    func newer(than id: ExchangeID, _ filter: Filter, count: Int) throws -> [ExchangeRow] {
        try newer(than: id, filter, count: count) { _ in }
    }
}

/// How far the store is, to see at little cost whether anything changed.
struct StoreExtent: Sendable, Hashable {
    /// Tells the store from one that takes its place.
    var storeNumber: UInt64 = 0
    /// Exchanges in it.
    var exchangeCount: Int64
    /// The highest number; 0 where it is empty.
    var lastID: Int64
    /// Changes whenever somebody else wrote.
    var changeNumber: Int64
}

/// Where exchanges come from. Used by one thread.
protocol ExchangeSource: Sendable {
    /// A whole exchange, of each body at most so many octets; nil where it is gone.
    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws -> Exchange?
    /// The octets of a head as received; nil where there is none.
    func headOctets(_ id: ExchangeID, _ message: StoredMessage) throws -> [UInt8]?
    /// The kept octets of a body as stored, chunk by chunk, until the body says false.
    func forEachBodyChunk(
        _ id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) -> Bool
    ) throws
    /// A page of an exchange's messages, at most `limit`, in the page's order; of each at most
    /// `byteCountMax` bytes.
    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws -> [MessageRow]
    /// The position of an exchange's last message; nil where it has none.
    func lastMessagePosition(of id: ExchangeID) throws -> Int64?
    /// How the gRPC messages of an exchange are read; nil where that cannot be known.
    func grpcReading(of id: ExchangeID) throws -> GRPCReading?
}
