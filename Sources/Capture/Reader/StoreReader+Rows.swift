internal import GRDB
public import HTTPModel

/// Pages of rows.
extension StoreReader {
    /// How many numbers are looked at in one read at first, and at most: a read must not last.
    private static let windowFirst: Int64 = 2_000
    private static let windowMax: Int64 = 50_000
    /// A read that took longer than this is followed by a smaller one, in nanoseconds.
    private static let windowNs: Int64 = 200_000_000
    /// Rows of one read at most.
    private static let pageCount = 500

    /// One exchange's row; nil where there is none.
    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    /// The rows of some exchanges, in the order asked; those that are not there are left out.
    public func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: RowSelection.sql + " WHERE exchange.id = ?")
            return try ids.compactMap { id in
                try Row.fetchOne(statement, arguments: [id.rawValue]).map(RowSelection.row)
            }
        }
    }

    /// A page of rows that pass a filter, at most `limit`, in the direction's order. The last
    /// row's number is where the next page goes on.
    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        guard limit > 0 else { return [] }
        var rows: [ExchangeRow] = []
        try forEachPage(filter, direction, limit: limit) { page in
            rows += page
            return rows.count < limit
        }
        return Array(rows.prefix(limit))
    }

    /// Hands over all rows that pass a filter, until the body says false. No read is open while
    /// the body runs, so it may take its time.
    public func forEachRow(
        matching filter: Filter = .everything, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachPage(filter, direction, limit: StoreReader.pageCount) {
            (page) throws(StoreError) in
            for row in page {
                guard try body(row) else { return false }
            }
            return true
        }
    }

    private func forEachPage(
        _ filter: Filter, _ direction: PageDirection, limit: Int,
        _ body: ([ExchangeRow]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let compiled = filter.compile()
        let limit = min(limit, StoreReader.pageCount)
        guard var window = try firstWindow(direction) else { return }
        while let range = window.range {
            let started = RecorderClock.now()
            let page = try rows(in: range, direction, compiled, limit: limit)
            let isSlow = RecorderClock.now() - started > StoreReader.windowNs
            // A full page ends at its last row, any other at the window's end.
            let last = page.count == limit ? page.last?.id.rawValue : nil
            window.advance(past: last ?? (window.isAscending ? range.upperBound : range.lowerBound))
            window.resize(wasSlow: isSlow)
            guard try body(page) else { return }
        }
    }

    /// The ids a scan goes through, window by window.
    private struct Window {
        var lowest: Int64
        var highest: Int64
        let isAscending: Bool
        var count = StoreReader.windowFirst

        /// The next ids to look at; nil at the end.
        var range: ClosedRange<Int64>? {
            guard lowest <= highest else { return nil }
            return isAscending
                ? lowest...min(highest, lowest &+ count &- 1)
                : max(lowest, highest &- count &+ 1)...highest
        }

        mutating func advance(past id: Int64) {
            if isAscending { lowest = id &+ 1 } else { highest = id &- 1 }
        }

        mutating func resize(wasSlow: Bool) {
            count = wasSlow ? max(100, count / 4) : min(StoreReader.windowMax, count * 2)
        }
    }

    private func firstWindow(_ direction: PageDirection) throws(StoreError) -> Window? {
        let bounds: Row? = try read {
            try Row.fetchOne(
                $0, sql: "SELECT (SELECT min(id) FROM exchange), (SELECT max(id) FROM exchange)")
        }
        guard let bounds, let first: Int64 = bounds[0], let last: Int64 = bounds[1] else {
            return nil
        }
        switch direction {
        case .newest: return Window(lowest: first, highest: last, isAscending: false)
        case .before(let id):
            return Window(
                lowest: first, highest: min(last, id.rawValue &- 1), isAscending: false)
        case .after(let id):
            return Window(lowest: max(first, id.rawValue &+ 1), highest: last, isAscending: true)
        }
    }

    private func rows(
        in range: ClosedRange<Int64>, _ direction: PageDirection, _ filter: CompiledFilter,
        limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        try read { database in
            let sql =
                RowSelection.sql + " WHERE exchange.id BETWEEN ? AND ? AND (\(filter.sqlCondition))"
                + " ORDER BY exchange.id \(direction.isAscending ? "ASC" : "DESC")"
            let arguments: StatementArguments = [range.lowerBound, range.upperBound]
            let cursor = try Row.fetchCursor(
                database.cachedStatement(sql: sql), arguments: arguments + filter.arguments)
            var rows: [ExchangeRow] = []
            while rows.count < limit, let next = try cursor.next() {
                let row = RowSelection.row(next)
                if let residual = filter.residual,
                    !residual.matches(StoredSubject(row, database))
                {
                    continue
                }
                rows.append(row)
            }
            return rows
        }
    }
}
