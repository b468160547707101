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
    func exchangeCount() throws(StoreError) -> Int64
    /// Nil if the store is empty.
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

    /// Returns the rows of some exchanges in the given order, without those that do not exist.
    func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow]
    /// Returns a page of at most `limit` rows that match a filter, in the direction's order. The
    /// next page starts after the number of the last row. `progress` receives the share of the rows
    /// in that direction that was scanned, 0 to 1.
    func rows(
        matching filter: Filter, _ direction: PageDirection, limit: Int, progress: (Double) -> Void
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

    /// - Parameter progress: Receives the count so far.
    func count(matching filter: Filter, progress: (Int64) -> Void) throws(StoreError) -> Int64
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
        of parent: TreePath, matching filter: Filter, progress: (Branches, Double?) -> Void
    ) throws(StoreError) -> Branches
    /// Exchanges that no longer exist are omitted.
    func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline]

    // MARK: One exchange

    /// Returns an exchange with heads and bodies, or nil if it does not exist. At most
    /// `bodyByteCountMax` bytes of each body are read; use `forEachBodyChunk` to read all of it.
    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws(StoreError) -> Exchange?
    /// Returns the bytes of a head as received, even of a request head that could not be parsed, or
    /// nil if there is none.
    func headBytes(of id: ExchangeID, _ message: StoredMessage) throws(StoreError) -> [UInt8]?
    /// Passes the stored bytes of a body to the closure in chunks, from the start, until it returns
    /// false. No read is open while the closure runs.
    func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) throws(StoreError) -> Bool
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
    func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations
}

/// Convenience methods with the arguments that most callers use.
extension ExchangeReading {
    /// Lists of a local store are in the order of exchange numbers.
    public var isOrderedByNumber: Bool { true }

    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        try rows(matching: filter, direction, limit: limit) { _ in }
    }

    public func positions(
        matching filter: Filter = .everything, by column: SortColumn, isDescending: Bool,
        from start: ListPosition? = nil, isBackward: Bool = false, limit: Int
    ) throws(StoreError) -> [ListPosition] {
        try positions(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit
        ) { _ in }
    }

    public func count(matching filter: Filter) throws(StoreError) -> Int64 {
        try count(matching: filter) { _ in }
    }

    public func summary(
        matching filter: Filter = .everything
    ) throws(StoreError) -> ExchangeSummary {
        try summary(matching: filter) { _, _ in }
    }

    public func branches(
        of parent: TreePath, matching filter: Filter = .everything
    ) throws(StoreError) -> Branches {
        try branches(of: parent, matching: filter) { _, _ in }
    }

    /// Returns an exchange with heads and at most 64 MiB of each body, or nil if it does not exist.
    public func exchange(_ id: ExchangeID) throws(StoreError) -> Exchange? {
        try exchange(id, bodyByteCountMax: 64 << 20)
    }

    /// The exchange of a name, in a local store its number; nil if the text is not one.
    public func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), name.storeName == nil else { return nil }
        return ExchangeID(rawValue: name.number)
    }

    /// Returns the name of an exchange, which in a local store is its number.
    public func name(of id: ExchangeID) throws(StoreError) -> String { id.description }
}

extension ExchangeReading {
    /// Returns everything the store has of an exchange, with complete bodies, or nil if it was
    /// deleted after the row was read.
    public func captured(_ row: ExchangeRow) throws(StoreError) -> CapturedExchange? {
        let limit = CapturedExchange.bodyByteCountMax
        guard var captured = try captured(row, bodyByteCountMax: limit) else { return nil }
        if captured.exchange.request.body.kept.count == limit {
            captured.exchange.request.body.kept = try wholeBody(row.id, .request)
        }
        if captured.exchange.response?.body.kept.count == limit {
            captured.exchange.response?.body.kept = try wholeBody(row.id, .response)
        }
        return captured
    }

    /// Returns an exchange with the start of each body, or nil if it does not exist.
    package func captured(
        _ id: ExchangeID, bodyByteCountMax: Int = CapturedExchange.bodyByteCountMax
    ) throws(StoreError) -> CapturedExchange? {
        guard let row = try row(id) else { return nil }
        return try captured(row, bodyByteCountMax: bodyByteCountMax)
    }

    private func captured(
        _ row: ExchangeRow, bodyByteCountMax: Int
    ) throws(StoreError) -> CapturedExchange? {
        guard let exchange = try exchange(row.id, bodyByteCountMax: bodyByteCountMax) else {
            return nil
        }
        let malformedHead = exchange.request.head == nil ? try headBytes(of: row.id, .request) : nil
        return CapturedExchange(row: row, exchange: exchange, malformedHead: malformedHead)
    }

    private func wholeBody(
        _ id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBodyChunk(of: id, message) { chunk in
            bytes += chunk
            return true
        }
        return bytes
    }
}

/// An exchange with everything the store has of it, for display, replay and export.
public struct CapturedExchange: Sendable {
    /// Bodies up to this size in bytes are read together with their exchange, longer ones in
    /// chunks, so that no read takes long.
    package static let bodyByteCountMax = 16 << 20

    public var row: ExchangeRow
    public var exchange: Exchange
    /// The bytes of a request head that could not be parsed, or nil if it could.
    public var malformedHead: [UInt8]?
    /// Parts that redaction omitted because they cannot be decoded, such as `request body`.
    public var leftOut: [String] = []

    public init(row: ExchangeRow, exchange: Exchange, malformedHead: [UInt8]? = nil) {
        self.row = row
        self.exchange = exchange
        self.malformedHead = malformedHead
    }
}

/// One of the two HTTP messages of an exchange.
public enum StoredMessage: Sendable, Hashable, CaseIterable {
    case request
    case response
}

/// The columns that rows can be sorted by.
public enum SortColumn: String, Sendable, Hashable, CaseIterable {
    /// When the exchange started, which is the order of the numbers.
    case time
    case method
    case host
    case path
    /// The status code that the client received.
    case status
    /// The response's Content-Type.
    case type
    /// The size of the response body.
    case size
    case duration
    /// The program that sent the request.
    case process
}

/// The position of a row in a sorted list, from which `ExchangeReading.positions` continues. The
/// value beside the number is internal to the store; only stores create and compare positions.
public struct ListPosition: Sendable, Hashable {
    /// The value that is compared; a row without one sorts last in both directions.
    package enum Value: Sendable, Hashable {
        /// A number, compared by size.
        case integer(Int64)
        /// A text, compared byte by byte.
        case text(String)
    }

    package let value: Value?
    public let id: ExchangeID

    package init(value: Value?, id: ExchangeID) {
        self.value = value
        self.id = id
    }

    /// - Parameter time: What the store sorts by time with.
    package init(_ row: ExchangeRow, _ column: SortColumn, time: Int64) {
        value =
            switch column {
            case .time: .integer(time)
            case .method: row.method.map(Value.text)
            case .host: row.host.map(Value.text)
            case .path: row.path.map(Value.text)
            case .status: row.status.map { .integer(Int64($0)) }
            case .type: row.responseContentType.map(Value.text)
            case .size: .integer(row.responseBodyByteCount)
            case .duration: row.durationNs.map(Value.integer)
            case .process: row.process.map(Value.text)
            }
        id = row.id
    }
}

/// Which exchanges a page contains, and in which order.
public enum PageDirection: Sendable, Hashable {
    /// The newest exchanges, newest first.
    case newest
    /// The oldest exchanges, oldest first.
    case oldest
    /// Exchanges older than this number, newest first.
    case before(ExchangeID)
    /// Exchanges newer than this number, oldest first.
    case after(ExchangeID)

    /// Whether numbers increase from row to row.
    package var isAscending: Bool {
        switch self {
        case .oldest, .after: true
        case .newest, .before: false
        }
    }
}

/// The newest exchange of a store at some moment: exchanges after it in lists are newer.
public struct ListEnd: Sendable, Hashable {
    /// Its place in the order of lists; 0 if the store was empty.
    public let position: Int64

    /// Reads where the list of a store ends now.
    public init(of reader: any ExchangeReading) throws(StoreError) {
        let last = try reader.lastExchangeID()
        position = try last.flatMap { (id) throws(StoreError) in try reader.row(id)?.position } ?? 0
    }

    /// Whether an exchange is not after the end.
    public func includes(_ row: ExchangeRow) -> Bool { row.position <= position }

    /// The share of the list that is done after a row, if it started at a place; as `Double`, the
    /// distance between any two places cannot overflow.
    public func share(through row: ExchangeRow, from first: Int64) -> Double {
        let all = Double(position) - Double(first) + 1
        return all > 0 ? min(1, max(0, (Double(row.position) - Double(first) + 1) / all)) : 1
    }
}

extension ExchangeRow {
    /// The row's place in the order of lists: its number, or in a central store, where numbers are
    /// those of many machines, when it started.
    public var position: Int64 { storeName == nil ? id.rawValue : startedAtNs }
}

/// Runs statements that users write, in the dialect of the store's engine.
public protocol SQLReading: Sendable {
    /// Runs one read-only statement and passes its rows on until `onRow` returns false. The column
    /// names are passed on first, exactly once, even if there are no rows.
    ///
    /// May take any amount of time, unless a `ReadCancellation` ends it. Throws `.notPermitted` or
    /// the engine's error for a statement that would write.
    func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError)
}

/// A value that an SQL statement returns or takes.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// TEXT; bytes that are not UTF-8 are replaced.
    case text(String)
    case blob([UInt8])

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    package init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }

    package init(_ bytes: [UInt8]?) { self = bytes.map(SQLValue.blob) ?? .null }
}
