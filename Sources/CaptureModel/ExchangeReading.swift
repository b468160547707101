public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding

/// Reads captured exchanges from any kind of store. Safe to use from any thread; no read takes
/// long, and a `ReadCancellation` ends longer operations.
public protocol ExchangeReading: Sendable {
    // MARK: The store

    /// Tells the store apart from one that replaces it while it is being read.
    var storeNumber: UInt64 { get }
    /// Whether lists are in the order of exchange numbers, so that what arrives has higher numbers
    /// than what is there, except for the newest few. Otherwise they are ordered by time, and an
    /// exchange may arrive anywhere. True by default.
    var isOrderedByNumber: Bool { get }
    /// Returns a number that changes whenever another connection writes to the store.
    func changeNumber() throws(StoreError) -> Int64
    /// Returns the number of exchanges in the store.
    func exchangeCount() throws(StoreError) -> Int64
    /// Returns the highest exchange number in the store, or nil if it is empty.
    func lastExchangeID() throws(StoreError) -> ExchangeID?

    // MARK: Names

    /// Returns the identifier of an exchange that a user named, as `ExchangeName` describes; nil if
    /// the store cannot have an exchange of that name. The exchange need not exist.
    func exchangeID(named text: String) throws(StoreError) -> ExchangeID?
    /// Returns the name of an exchange for users, which `exchangeID(named:)` takes.
    func name(of id: ExchangeID) throws(StoreError) -> String

    // MARK: Descriptions of messages

    /// Returns the files that describe protocol buffer messages: first those that users added, then
    /// the others, each newest first.
    func protoFiles() throws(StoreError) -> [ProtoFile]
    /// Returns the version of that set of files, without reading their contents.
    func protoFileVersion() throws(StoreError) -> ProtoFileVersion

    // MARK: Rows

    /// Returns the rows of some exchanges in the given order; exchanges that do not exist are
    /// omitted.
    func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow]
    /// Returns a page of at most `limit` rows that match a filter, in the direction's order. The
    /// next page starts after the number of the last row. `progress` receives the share of the rows
    /// in that direction that was scanned, 0 to 1.
    func rows(
        matching filter: Filter, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void
    ) throws(StoreError) -> [ExchangeRow]
    /// Passes all rows that match a filter to the closure until it returns false. No read is open
    /// while the closure runs, so it may take long.
    func forEachRow(
        matching filter: Filter, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError)

    // MARK: Sorted lists

    /// Whether any page sorted by a column is found without scanning all rows.
    func isQuick(by column: SortColumn) -> Bool
    /// Returns the position of a row when rows are sorted by a column.
    func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition
    /// Returns the positions of rows that match a filter, sorted by a column, at most `limit`:
    /// those after a position, or if `isBackward` those before it, nearest first. Rows without a
    /// value sort last in both sort directions. `progress` receives how far a long scan has got, 0
    /// to 1; there may be two scans.
    func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition]

    // MARK: Aggregates

    /// Returns how many rows match a filter. `progress` receives the count so far.
    func count(
        matching filter: Filter, progress: (Int64) -> Void
    ) throws(StoreError) -> Int64
    /// Returns the values that occur in a column, most frequent first, for completion.
    func values(of column: SortColumn) throws(StoreError) -> [String]
    /// Returns a summary of the exchanges that match a filter. `progress` receives the result so
    /// far and the share of the store that was scanned, 0 to 1.
    func summary(
        matching filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws(StoreError) -> ExchangeSummary
    /// Returns what is one level below a place of the tree, for the exchanges that match a filter;
    /// `progress` is the same as for `summary`.
    func branches(
        of place: PathPlace, matching filter: Filter, progress: (Branches, Double?) -> Void
    ) throws(StoreError) -> Branches
    /// Returns the timelines of some exchanges; exchanges that no longer exist are omitted.
    func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline]

    // MARK: One exchange

    /// Returns an exchange with heads and bodies, or nil if it does not exist. At most
    /// `bodyByteCountMax` bytes of each body are read; use `forEachBodyChunk` to read all of it.
    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws(StoreError) -> Exchange?
    /// Returns the bytes of a head as received, even of a request head that could not be parsed, or
    /// nil if there is none.
    func headBytes(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]?
    /// Passes the stored bytes of a body to the closure in chunks, from the start, until it returns
    /// false. No read is open while the closure runs.
    func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage,
        _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError)
    /// Returns the decoded parameters of a request: query parameters, then body parameters.
    func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter]
    /// Returns a page of at most `limit` messages of an exchange, in the page's order. At most
    /// `byteCountMax` bytes of each message are read.
    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow]
    /// Returns the position of an exchange's last message, or nil if it has none.
    func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64?
    /// Returns what users added to an exchange.
    func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations
}

/// Convenience methods with the arguments that most callers use.
extension ExchangeReading {
    /// Lists of a local store are in the order of exchange numbers.
    public var isOrderedByNumber: Bool { true }

    /// Returns the row of an exchange, or nil if it does not exist.
    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    /// Returns a page of at most `limit` rows, in the direction's order.
    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        try rows(matching: filter, direction, limit: limit) { _ in }
    }

    /// Returns the positions of at most `limit` rows sorted by a column.
    public func positions(
        matching filter: Filter = .everything, by column: SortColumn, isDescending: Bool,
        from start: ListPosition? = nil, isBackward: Bool = false, limit: Int
    ) throws(StoreError) -> [ListPosition] {
        try positions(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit
        ) { _ in }
    }

    /// Returns how many rows match a filter.
    public func count(matching filter: Filter) throws(StoreError) -> Int64 {
        try count(matching: filter) { _ in }
    }

    /// Returns a summary of the exchanges that match a filter.
    public func summary(
        matching filter: Filter = .everything
    ) throws(StoreError) -> ExchangeSummary {
        try summary(matching: filter) { _, _ in }
    }

    /// Returns what is one level below a place of the tree, for the exchanges that match a filter.
    public func branches(
        of place: PathPlace, matching filter: Filter = .everything
    ) throws(StoreError) -> Branches {
        try branches(of: place, matching: filter) { _, _ in }
    }

    /// Returns an exchange with heads and at most 64 MiB of each body, or nil if it does not exist.
    public func exchange(_ id: ExchangeID) throws(StoreError) -> Exchange? {
        try exchange(id, bodyByteCountMax: 64 << 20)
    }
}
