internal import GRDB
public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel

/// Sums over many exchanges.
extension StoreReader {
    /// A summary of the exchanges that pass a filter. All of them are looked at, window by window;
    /// `progress` is told what was found so far, and the share of the store that was looked at,
    /// 0 to 1.
    public func summary(
        matching filter: Filter = .everything,
        progress: (ExchangeSummary, Double?) -> Void = { _, _ in }
    ) throws(StoreError) -> ExchangeSummary {
        let compiled = filter.compile()
        try attachIndex()
        var summary = ExchangeSummary()
        guard compiled.residual == nil, compiled.searches.isEmpty else {
            try forEachPage(compiled, .newest, limit: StoreReader.pageCount) { page, share in
                for row in page { summary.add(row) }
                progress(summary, share)
                return true
            }
            return summary
        }
        try forEachWindow(compiled) { window, condition, database in
            try StoreReader.addGroups(window, condition, database, to: &summary)
            try StoreReader.addMeasures(window, condition, database, to: &summary)
            progress(summary, window.share)
        }
        return summary
    }

    private static func addGroups(
        _ window: LookWindow, _ condition: (sql: String, arguments: StatementArguments),
        _ database: Database, to summary: inout ExchangeSummary
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT count(*),
                  count(CASE WHEN exchange.state = 2 OR exchange.status >= 400 THEN 1 END),
                  CAST(total(exchange.request_body_bytes + exchange.response_body_bytes)
                    AS INTEGER),
                  max(exchange.started_ns), min(exchange.started_ns), exchange.status,
                  exchange.method, exchange.host
                FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
                GROUP BY 6, 7, 8
                """, arguments: [window.lowest, window.highest] + condition.arguments)
        while let row = try rows.next() {
            let columns = ColumnReader(row)
            var totals = BranchTotals()
            totals.count = columns.integer(0) ?? 0
            totals.errorCount = columns.integer(1) ?? 0
            totals.byteCount = columns.integer(2) ?? 0
            totals.lastStartedAtNs = columns.integer(3) ?? 0
            summary.add(
                totals, firstStartedAtNs: columns.integer(4) ?? 0, status: columns.int(5),
                method: columns.text(6), host: columns.text(7))
        }
    }

    private static func addMeasures(
        _ window: LookWindow, _ condition: (sql: String, arguments: StatementArguments),
        _ database: Database, to summary: inout ExchangeSummary
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT exchange.id, exchange.duration_ns, exchange.response_body_bytes
                FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
                  AND exchange.duration_ns IS NOT NULL
                """, arguments: [window.lowest, window.highest] + condition.arguments)
        while let row = try rows.next() {
            let columns = ColumnReader(row)
            summary.add(
                ExchangeID(rawValue: columns.integer(0) ?? 0), durationNs: columns.integer(1),
                responseByteCount: columns.integer(2) ?? 0)
        }
    }

    /// When things happened in some exchanges; those that are gone are left out.
    public func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT started_ns, timeline, flags FROM exchange WHERE id = ?")
            var timelines: [ExchangeID: Timeline] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id.rawValue]) else {
                    continue
                }
                let columns = ColumnReader(row)
                let flags = ExchangeFlags(rawValue: columns.integer(2) ?? 0)
                timelines[id] = TimelineCoding.decode(
                    columns.octets(1) ?? [], wallStart: columns.integer(0) ?? 0,
                    connectionReused: flags.contains(.connectionReused))
            }
            return timelines
        }
    }
}
