public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding

/// Reads captured exchanges, wherever they are kept. Safe on any thread; no read lasts, and a
/// `ReadCancellation` ends what takes long.
public protocol ExchangeReading: Sendable {
    // MARK: The store

    /// Tells the store from one that takes its place while it is read.
    var storeNumber: UInt64 { get }
    /// A number that changes whenever somebody else wrote.
    func changeNumber() throws(StoreError) -> Int64
    /// The number of exchanges.
    func exchangeCount() throws(StoreError) -> Int64
    /// The highest number in the store; nil where it is empty.
    func lastExchangeID() throws(StoreError) -> ExchangeID?

    // MARK: Descriptions of messages

    /// The files that describe messages of protocol buffers, those that were given first, of each
    /// kind the newest first.
    func protoFiles() throws(StoreError) -> [ProtoFile]
    /// Which files those are, without reading them.
    func protoFileVersion() throws(StoreError) -> ProtoFileVersion

    // MARK: Rows

    /// The rows of some exchanges, in the order asked; those that are not there are left out.
    func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow]
    /// A page of rows that pass a filter, at most `limit`, in the direction's order. The last
    /// row's number is where the next page goes on. `progress` is told the share of the rows in
    /// that direction that was looked at, 0 to 1.
    func rows(
        matching filter: Filter, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void
    ) throws(StoreError) -> [ExchangeRow]
    /// Hands over all rows that pass a filter, until the body says false. No read is open while
    /// the body runs, so it may take its time.
    func forEachRow(
        matching filter: Filter, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError)

    // MARK: Sorted lists

    /// Whether a page sorted by a column is found at once, wherever it is; else all rows are
    /// looked at for it.
    func isQuick(by column: SortColumn) -> Bool
    /// Where a row stands when rows are sorted by a column.
    func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition
    /// The places of rows that pass a filter, sorted by a column, at most `limit`: those behind a
    /// place, or those in front of it where `isBackward`, nearest first. Rows without a value come
    /// last in either direction of sorting. `progress` is told how far a look at many rows is, 0 to
    /// 1; there may be two of them.
    func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition]

    // MARK: Many at once

    /// How many rows pass a filter. `progress` is told how many were found so far.
    func count(
        matching filter: Filter, progress: (Int64) -> Void
    ) throws(StoreError) -> Int64
    /// Values that occur in a column, the most frequent first, for completion.
    func values(of column: SortColumn) throws(StoreError) -> [String]
    /// A summary of the exchanges that pass a filter. `progress` is told what was found so far,
    /// and the share of the store that was looked at, 0 to 1.
    func summary(
        matching filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws(StoreError) -> ExchangeSummary
    /// What lies one step below a place of the tree, of the exchanges that pass a filter;
    /// `progress` as with `summary`.
    func branches(
        of place: PathPlace, matching filter: Filter, progress: (Branches, Double?) -> Void
    ) throws(StoreError) -> Branches
    /// When things happened in some exchanges; those that are gone are left out.
    func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline]

    // MARK: One exchange

    /// An exchange with heads and bodies; nil where there is none. Of each body at most
    /// `bodyByteCountMax` octets are read; `forEachBodyChunk` reads any.
    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws(StoreError) -> Exchange?
    /// The octets of a head as received, of a request head that could not be parsed too; nil
    /// where there is none.
    func headOctets(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]?
    /// The kept octets of a body, from the first, chunk by chunk, until the body says false. No
    /// read is open while it runs.
    func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage,
        _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError)
    /// The decoded parameters of a request, in the order query, body.
    func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter]
    /// A page of an exchange's messages, at most `limit`, in the page's order. Of each at most
    /// `byteCountMax` bytes are read.
    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow]
    /// The position of an exchange's last message; nil where it has none.
    func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64?
    /// What people added to an exchange.
    func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations
}

/// What most callers leave as it is.
extension ExchangeReading {
    /// One exchange's row; nil where there is none.
    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    /// A page of rows, at most `limit`, in the direction's order.
    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        try rows(matching: filter, direction, limit: limit) { _ in }
    }

    /// The places of rows sorted by a column, at most `limit`.
    public func positions(
        matching filter: Filter = .everything, by column: SortColumn, isDescending: Bool,
        from start: ListPosition? = nil, isBackward: Bool = false, limit: Int
    ) throws(StoreError) -> [ListPosition] {
        try positions(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit
        ) { _ in }
    }

    /// How many rows pass a filter.
    public func count(matching filter: Filter) throws(StoreError) -> Int64 {
        try count(matching: filter) { _ in }
    }

    /// A summary of the exchanges that pass a filter.
    public func summary(
        matching filter: Filter = .everything
    ) throws(StoreError) -> ExchangeSummary {
        try summary(matching: filter) { _, _ in }
    }

    /// What lies one step below a place of the tree, of the exchanges that pass a filter.
    public func branches(
        of place: PathPlace, matching filter: Filter = .everything
    ) throws(StoreError) -> Branches {
        try branches(of: place, matching: filter) { _, _ in }
    }

    /// An exchange with heads and bodies, of each at most 64 MiB; nil where there is none.
    public func exchange(_ id: ExchangeID) throws(StoreError) -> Exchange? {
        try exchange(id, bodyByteCountMax: 64 << 20)
    }
}
