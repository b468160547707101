internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRules
internal import Synchronization

/// A source of rows: the store, or a script in tests. Confined to one thread.
protocol RowSource: Sendable {
    /// Returns a page of rows in an order, starting at an anchor. `progress` receives the share of
    /// the rows that was scanned, 0 to 1, if there are many.
    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage
    /// Returns the rows of some exchanges; those that no longer exist are omitted.
    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow]
    func name(of id: ExchangeID) throws -> String
    /// Returns the rows above a number that match a filter, ascending; `progress` as for `page`.
    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow]
    /// Returns how many rows match a filter. `progress` receives the count so far.
    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64
    func extent() throws -> StoreExtent
    /// Returns the values that occur in a column, for completion.
    func values(of column: SortColumn) throws -> [String]
    /// Returns what is one level below a place of the tree, for rows that match a filter.
    /// `progress` receives the result so far and the share of the store that was scanned.
    func branches(
        of parent: TreePath, _ filter: Filter, progress: (Branches, Double?) -> Void
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
    var exchangeCount: Int64
    /// The highest exchange number; 0 if the store is empty.
    var lastID: Int64
    /// Changes whenever another connection writes.
    var changeNumber: Int64
}

/// A source of exchanges. Confined to one thread.
protocol ExchangeSource: Sendable {
    /// Returns an exchange with at most `bodyByteCountMax` bytes of each body; nil if it is gone.
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

struct RowOrder: Sendable, Hashable {
    var column: SortColumn
    var isDescending: Bool

    /// Recording order, newest last.
    static let recorded = RowOrder(column: .time, isDescending: false)
}

struct RowRequest: Sendable {
    enum Anchor: Sendable, Hashable {
        case first
        case last
        case after(ExchangeRow)
        case before(ExchangeRow)
    }

    var filter: Filter
    var order: RowOrder
    var anchor: Anchor
    var count: Int
}

/// A page of rows, always in the direction of the order.
struct RowPage: Sendable {
    var rows: [ExchangeRow]
    /// Whether there are no more rows on the side toward which it was read.
    var isEnd: Bool
}

final class StoreRows: RowSource, ExchangeSource {
    /// How many positions are requested at a time if all rows have to be scanned for them.
    private static let runCount = 4_000

    /// Consecutive positions found by a scan of all rows.
    private struct Run {
        var filter: String
        var order: RowOrder
        var isBackward: Bool
        var keys: [ListPosition]
        /// Whether the last position is the last one of all.
        var isEnd: Bool
    }

    private let reader: any ExchangeReading
    private let run = Mutex<Run?>(nil)
    private let descriptors = DescriptorCache()

    init(_ reader: any ExchangeReading) { self.reader = reader }

    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage {
        request.order.column == .time
            ? try recorded(request, progress) : try sorted(request, progress)
    }

    private func recorded(_ request: RowRequest, _ progress: (Double) -> Void) throws -> RowPage {
        let isDescending = request.order.isDescending
        let direction: PageDirection
        switch request.anchor {
        case .first: direction = isDescending ? .newest : .oldest
        case .last: direction = isDescending ? .oldest : .newest
        case .after(let row): direction = isDescending ? .before(row.id) : .after(row.id)
        case .before(let row): direction = isDescending ? .after(row.id) : .before(row.id)
        }
        let rows = try reader.rows(
            matching: request.filter, direction, limit: request.count, progress: progress)
        return RowPage(
            rows: request.anchor.isBackward ? rows.reversed() : rows,
            isEnd: rows.count < request.count)
    }

    private func sorted(_ request: RowRequest, _ progress: (Double) -> Void) throws -> RowPage {
        let keys = try keys(request, progress)
        // Rows that were deleted in the meantime count as read.
        let rows = try reader.rows(keys.map(\.id))
        return RowPage(
            rows: request.anchor.isBackward ? rows.reversed() : rows,
            isEnd: keys.count < request.count)
    }

    private func keys(
        _ request: RowRequest, _ progress: (Double) -> Void
    ) throws -> [ListPosition] {
        let start = request.anchor.row.map { reader.position(of: $0, by: request.order.column) }
        if let known = knownKeys(request, start) { return known }
        let isBackward = request.anchor.isBackward
        let limit =
            reader.isQuick(by: request.order.column)
            ? request.count : max(request.count, StoreRows.runCount)
        let keys = try reader.positions(
            matching: request.filter, by: request.order.column,
            isDescending: request.order.isDescending, from: start, isBackward: isBackward,
            limit: limit, progress: progress)
        if limit > request.count {
            run.withLock {
                $0 = Run(
                    filter: request.filter.text, order: request.order, isBackward: isBackward,
                    keys: keys, isEnd: keys.count < limit)
            }
        }
        return Array(keys.prefix(request.count))
    }

    /// The positions after `start` if an earlier scan has found both them and it; otherwise nil.
    private func knownKeys(_ request: RowRequest, _ start: ListPosition?) -> [ListPosition]? {
        guard let start else { return nil }
        return run.withLock { run in
            guard let run, run.filter == request.filter.text, run.order == request.order,
                let index = run.keys.firstIndex(of: start)
            else { return nil }
            if run.isBackward == request.anchor.isBackward {
                let rest = run.keys[(index + 1)...]
                guard rest.count >= request.count || run.isEnd else { return nil }
                return Array(rest.prefix(request.count))
            }
            guard index >= request.count else { return nil }
            return run.keys[(index - request.count)..<index].reversed()
        }
    }

    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow] { try reader.rows(ids) }

    func name(of id: ExchangeID) throws -> String { try reader.name(of: id) }

    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow] {
        try reader.rows(matching: filter, .after(id), limit: count, progress: progress)
    }

    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64 {
        try reader.count(matching: filter, progress: progress)
    }

    func extent() throws -> StoreExtent {
        // The number is read first, so that a later change is noticed at the next check.
        let changeNumber = try reader.changeNumber()
        return StoreExtent(
            storeNumber: reader.storeNumber, isOrderedByNumber: reader.isOrderedByNumber,
            exchangeCount: try reader.exchangeCount(),
            lastID: try reader.lastExchangeID()?.rawValue ?? 0, changeNumber: changeNumber)
    }

    func values(of column: SortColumn) throws -> [String] { try reader.values(of: column) }

    func branches(
        of parent: TreePath, _ filter: Filter, progress: (Branches, Double?) -> Void
    ) throws -> Branches {
        try reader.branches(of: parent, matching: filter, progress: progress)
    }

    func summary(
        _ filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws -> ExchangeSummary {
        try reader.summary(matching: filter, progress: progress)
    }

    func timelines(_ ids: [ExchangeID]) throws -> [ExchangeID: Timeline] {
        try reader.timelines(ids)
    }

    func compared(
        _ filter: Filter, _ matching: MockMatching, anyServer: Bool, progress: (Int) -> Void
    ) throws -> ComparedExchange.Side {
        try ComparedExchange.side(
            reader, filter, matching, anyServer: anyServer, progress: progress)
    }

    // MARK: Exchanges

    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws -> Exchange? {
        try reader.exchange(id, bodyByteCountMax: bodyByteCountMax)
    }

    func headBytes(_ id: ExchangeID, _ message: StoredMessage) throws -> [UInt8]? {
        try reader.headBytes(of: id, message)
    }

    func forEachBodyChunk(
        _ id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) -> Bool
    ) throws {
        try reader.forEachBodyChunk(of: id, message) { body($0) }
    }

    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws -> [MessageRow] {
        try reader.messages(of: id, page, limit: limit, byteCountMax: byteCountMax)
    }

    func lastMessagePosition(of id: ExchangeID) throws -> Int64? {
        try reader.lastMessagePosition(of: id)
    }

    func grpcReading(of id: ExchangeID) throws -> GRPCReading? {
        try descriptors.reading(of: id, reader)
    }
}

extension RowRequest.Anchor {
    var isBackward: Bool {
        switch self {
        case .last, .before: true
        case .first, .after: false
        }
    }

    var row: ExchangeRow? {
        switch self {
        case .after(let row), .before(let row): row
        case .first, .last: nil
        }
    }
}
