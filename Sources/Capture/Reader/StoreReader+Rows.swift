public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydSystem
internal import ProxydStoreCoding

/// Pages of rows.
extension StoreReader {
    /// If a read takes longer than this, the next one is smaller; in nanoseconds.
    static let windowNs: Int64 = 200_000_000
    /// The maximum number of rows in one read.
    static let pageCount = 500

    /// Returns the row of an exchange, or nil if it does not exist.
    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    /// Returns the rows of some exchanges in the given order; exchanges that do not exist are
    /// omitted.
    public func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow] {
        try read { database in
            let statement = try database.statement(RowSelection.sql + " WHERE exchange.id = ?")
            return try ids.compactMap { id in
                statement.bind([.integer(id.rawValue)])
                return try statement.first({ ExchangeRow($0) })
            }
        }
    }

    /// Returns a page of at most `limit` rows that match a filter, in the direction's order. The
    /// next page starts after the number of the last row. `progress` receives the share of the rows
    /// in that direction that was scanned, 0 to 1.
    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> [ExchangeRow] {
        guard limit > 0 else { return [] }
        var rows: [ExchangeRow] = []
        try forEachPage(filter.compile(), direction, limit: limit) { page, share in
            rows += page
            progress(share)
            return rows.count < limit
        }
        return Array(rows.prefix(limit))
    }

    /// Passes all rows that match a filter to the closure until it returns false. No read
    /// transaction is open while the closure runs, so it may take long.
    public func forEachRow(
        matching filter: Filter = .everything, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachPage(filter.compile(), direction, limit: StoreReader.pageCount) {
            (page, _) throws(StoreError) in
            for row in page {
                guard try body(row) else { return false }
            }
            return true
        }
    }

    /// Passes pages of at most `limit` rows, including empty ones, to the closure until it returns
    /// false. The closure also receives the share of the rows in that direction that was scanned.
    func forEachPage(
        _ compiled: CompiledFilter, _ direction: PageDirection, limit: Int,
        _ page: ([ExchangeRow], Double) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try attachIndex()
        let limit = min(limit, StoreReader.pageCount)
        guard let window = try firstWindow(direction) else { return }
        let body = { (rows: [ExchangeRow], through: Int64) throws(StoreError) in
            try page(rows, window.share(through: through))
        }
        guard !compiled.searches.isEmpty, !window.isEmpty else {
            if let ids = try proposed(window, compiled) {
                _ = try look(at: ids, window.isAscending, compiled, body)
            } else {
                _ = try scan(window, compiled, limit: limit, body)
            }
            return
        }
        let path = path
        let sections = try read {
            SearchPlan.sections(
                lowest: window.lowest, highest: window.highest, storePath: path, $0)
        }
        for section in window.isAscending ? sections : sections.reversed() {
            let part = ScanWindow(
                lowest: section.lowest, highest: section.highest,
                isAscending: window.isAscending)
            let goesOn =
                if let ids = section.candidates(compiled.searches) {
                    try look(at: ids, part.isAscending, compiled, body)
                } else {
                    try scan(part, compiled, limit: limit, body)
                }
            guard goesOn else { return }
        }
    }

    /// The rows the index file proposes in a window, or nil if it is of no help or if the window is
    /// so small that scanning it costs less than a query.
    private func proposed(
        _ window: ScanWindow, _ compiled: CompiledFilter
    ) throws(StoreError) -> [Int64]? {
        guard window.bounds != (window.lowest, window.highest) else { return nil }
        return try read {
            try candidates(compiled, from: window.lowest, through: window.highest, in: $0)
        }
    }

    /// Scans all numbers of a window in parts; returns false if the body stopped it.
    private func scan(
        _ whole: ScanWindow, _ compiled: CompiledFilter, limit: Int,
        _ body: ([ExchangeRow], Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var window = whole
        while !window.isEmpty {
            let started = SystemClock.monotonicNow()
            let page = try page(of: &window, compiled, limit: limit)
            window.resize(wasSlow: SystemClock.monotonicNow() - started > StoreReader.windowNs)
            // A full page ends at its last row, any other page where the read ended.
            let last = page.rows.count == limit ? page.rows.last?.id.rawValue : nil
            window.advance(past: last ?? page.end)
            guard try body(page.rows, last ?? page.end) else { return false }
        }
        return true
    }

    func firstWindow(_ direction: PageDirection) throws(StoreError) -> ScanWindow? {
        let bounds: (first: Int64, last: Int64)? = try read {
            try $0.first(
                "SELECT (SELECT min(id) FROM exchange), (SELECT max(id) FROM exchange)"
            ) { row in row.integer(0).flatMap { first in row.integer(1).map { (first, $0) } } }
                ?? nil
        }
        guard let (first, last) = bounds else { return nil }
        var window = ScanWindow(
            lowest: first, highest: last, isAscending: direction.isAscending)
        switch direction {
        case .newest, .oldest: break
        case .before(let id):
            if id.rawValue <= last { window.advance(past: id.rawValue) }
        case .after(let id):
            if id.rawValue >= first { window.advance(past: id.rawValue) }
        }
        return window.isEmpty ? nil : window
    }

    /// The rows of one read, and the number up to which it scanned.
    private func page(
        of window: inout ScanWindow, _ filter: CompiledFilter, limit: Int
    ) throws(StoreError) -> (rows: [ExchangeRow], end: Int64) {
        try read { database in
            try StoreReader.skipGap(&window, database)
            guard !window.isEmpty else {
                return ([], window.isAscending ? window.highest : window.lowest)
            }
            let bounds = window.bounds
            let rows = try StoreReader.rows(
                where: "exchange.id BETWEEN ? AND ? AND (\(filter.sqlCondition))",
                [.integer(bounds.lowest), .integer(bounds.highest)] + filter.arguments,
                isAscending: window.isAscending, filter.residual, limit, database)
            return (rows, window.isAscending ? bounds.highest : bounds.lowest)
        }
    }

    /// Moves the start of a window to the next existing exchange. Missing numbers need not be
    /// scanned, and in a damaged store the gaps may be too large to go through.
    static func skipGap(_ window: inout ScanWindow, _ database: SQLiteConnection) throws {
        let sql =
            window.isAscending
            ? "SELECT min(id) FROM exchange WHERE id >= ?"
            : "SELECT max(id) FROM exchange WHERE id <= ?"
        let start = window.isAscending ? window.lowest : window.highest
        let statement = try database.statement(sql)
        statement.bind([.integer(start)])
        window.skip(to: try statement.first { $0.integer(0) } ?? nil)
    }

    /// Rows that satisfy a condition on `exchange` and a predicate, ordered by exchange number.
    static func rows(
        where condition: String, _ arguments: [SQLValue], isAscending: Bool,
        _ residual: FilterPredicate?, _ limit: Int, _ database: SQLiteConnection
    ) throws -> [ExchangeRow] {
        let sql =
            RowSelection.sql + " WHERE \(condition)"
            + " ORDER BY exchange.id \(isAscending ? "ASC" : "DESC")"
        // Not cached: a long-running viewer uses too many filters to keep a statement for each.
        let statement = try SQLiteStatement(database, sql)
        statement.bind(arguments)
        var rows: [ExchangeRow] = []
        guard limit > 0 else { return rows }
        try statement.takeRows(while: { columns in
            let row = ExchangeRow(columns)
            let subject = StoredSubject(
                row, SQLiteSubject(id: row.id.rawValue, database: database))
            if residual?.matches(subject) ?? true { rows.append(row) }
            return rows.count < limit
        })
        return rows
    }
}
