public import ProxydCaptureModel
public import ProxydFilter
internal import ProxydSystem

/// Sorting and counting by scanning every row, in windows so that no read takes long.
extension StoreReader {
    /// Scans the values of all rows and keeps the first keys.
    func scannedKeys(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int, _ progress: (Double) -> Void
    ) throws(StoreError) -> [SortKey] {
        var best: [SortKey] = []
        let (value, source) = walk.column.scan
        try forEachWindow(compiled) { (bounds, condition, database) in
            let behind = walk.condition(value, "exchange.id")
            // The database need not return rows that can no longer be among the best.
            let ahead = walk.bound(by: best.count == limit ? best.last : nil, value, "exchange.id")
            let keys = try SortWalk.keys(
                database,
                """
                SELECT \(value), exchange.id FROM \(source)
                WHERE exchange.id BETWEEN ? AND ? AND \(behind.sql) AND \(ahead.sql)
                  AND (\(condition.sql))
                \(walk.order(value, "exchange.id")) LIMIT ?
                """,
                bounds.values + behind.arguments
                    + ahead.arguments + condition.arguments + [.integer(Int64(limit))])
            best = walk.merged(best, keys, count: limit)
            progress(bounds.share)
        }
        return best
    }

    /// Goes through all matching rows and keeps the first keys.
    func chosenKeys(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int, _ progress: (Double) -> Void
    ) throws(StoreError) -> [SortKey] {
        var best: [SortKey] = []
        try forEachPage(compiled, .oldest, limit: StoreReader.pageCount) { page, share in
            let keys = page.map { SortKey($0, walk.column) }.filter { key in
                key.value != nil
                    && walk.start?.isBefore(key, isDescending: walk.isDescending) ?? true
            }
            let sorted = keys.sorted { $0.isBefore($1, isDescending: walk.isDescending) }
            best = walk.merged(best, sorted, count: limit)
            progress(share)
            return true
        }
        return best
    }

    /// Rows without a value, ordered by exchange number.
    func keysWithoutValue(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int, _ progress: (Double) -> Void
    ) throws(StoreError) -> [SortKey] {
        // Every row has a value in these columns.
        guard walk.column != .time, walk.column != .size else { return [] }
        let without = CompiledFilter(
            sqlCondition: "(\(compiled.sqlCondition)) AND \(walk.column.expression) IS NULL",
            arguments: compiled.arguments, residual: compiled.residual, probes: compiled.probes,
            searches: compiled.searches)
        let direction: PageDirection =
            walk.isDescending
            ? walk.start.map { .before($0.id) } ?? .newest
            : walk.start.map { .after($0.id) } ?? .oldest
        var keys: [SortKey] = []
        let pageLimit = min(limit, StoreReader.pageCount)
        try forEachPage(without, direction, limit: pageLimit) { page, share in
            keys += page.map { SortKey(value: nil, id: $0.id) }
            progress(share)
            return keys.count < limit
        }
        return Array(keys.prefix(limit))
    }

    public func count(
        matching filter: Filter, progress: (Int64) -> Void = { _ in }
    ) throws(StoreError) -> Int64 {
        let compiled = filter.compile()
        guard !filter.matchesEverything else { return try exchangeCount() }
        try attachIndex()
        var count: Int64 = 0
        guard compiled.residual == nil, compiled.searches.isEmpty else {
            try forEachPage(compiled, .newest, limit: StoreReader.pageCount) { page, _ in
                count += Int64(page.count)
                progress(count)
                return true
            }
            return count
        }
        try forEachWindow(compiled) { (bounds, condition, database) in
            count +=
                try database.integer(
                    """
                    SELECT count(*) FROM exchange
                    WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
                    """, bounds.values + condition.arguments) ?? 0
            progress(count)
        }
        return count
    }

    /// Reads one window after another, the newest first; one window only if the index file limits
    /// the rows to scan.
    func forEachWindow(
        _ compiled: CompiledFilter,
        _ body: (ReadWindow, (sql: String, arguments: [SQLValue]), SQLiteConnection) throws -> Void
    ) throws(StoreError) {
        guard var window = try firstWindow(.newest) else { return }
        let whole = window
        while !window.isEmpty {
            let started = SystemClock.monotonicNow()
            let end = try read { database in
                try StoreReader.skipGap(&window, database)
                guard !window.isEmpty else { return window.lowest }
                let ids = try candidates(
                    compiled, from: window.lowest, through: window.highest, in: database)
                let condition =
                    ids.map { StoreReader.condition(among: $0, compiled) }
                    ?? (compiled.sqlCondition, compiled.arguments)
                let bounds = ids == nil ? window.bounds : (window.lowest, window.highest)
                let look = ReadWindow(
                    lowest: bounds.0, highest: bounds.1, share: whole.share(through: bounds.0))
                try body(look, condition, database)
                return bounds.0
            }
            window.resize(wasSlow: SystemClock.monotonicNow() - started > StoreReader.windowNs / 4)
            window.advance(past: end)
        }
    }
}

/// The range of exchange numbers that one of several reads covers.
struct ReadWindow {
    let lowest: Int64
    let highest: Int64
    /// The share of all numbers that is covered after this window, 0 to 1.
    let share: Double

    /// The bounds, as parameters of a statement.
    var values: [SQLValue] { [.integer(lowest), .integer(highest)] }
}
