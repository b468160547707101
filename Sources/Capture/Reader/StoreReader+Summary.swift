public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydStoreCoding

/// Totals of many exchanges.
extension StoreReader {
    /// Returns a summary of the exchanges that match a filter. All of them are scanned, window by
    /// window; `progress` receives the result so far and the share of the store that was scanned, 0
    /// to 1.
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
        _ window: LookWindow, _ condition: (sql: String, arguments: [SQLValue]),
        _ database: SQLiteConnection, to summary: inout ExchangeSummary
    ) throws(StoreError) {
        let statement = try SQLiteStatement(
            database,
            """
            SELECT \(BranchTotals.sql), min(exchange.started_ns), exchange.status,
              exchange.method, exchange.host
            FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
            GROUP BY 6, 7, 8
            """)
        statement.bind(window.values + condition.arguments)
        try statement.forEachRow { row in
            summary.add(
                BranchTotals(row), firstStartedAtNs: row.integer(4) ?? 0, status: row.int(5),
                method: row.text(6), host: row.text(7))
        }
    }

    private static func addMeasures(
        _ window: LookWindow, _ condition: (sql: String, arguments: [SQLValue]),
        _ database: SQLiteConnection, to summary: inout ExchangeSummary
    ) throws(StoreError) {
        let statement = try SQLiteStatement(
            database,
            """
            SELECT exchange.id, exchange.duration_ns, exchange.response_body_bytes,
              exchange.response_type, exchange.started_ns, \(BranchTotals.errorSQL)
            FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
            """)
        statement.bind(window.values + condition.arguments)
        try statement.forEachRow { row in
            summary.add(
                ExchangeSummary.Measure(
                    id: ExchangeID(rawValue: row.integer(0) ?? 0), durationNs: row.integer(1),
                    responseByteCount: row.integer(2) ?? 0, responseType: row.text(3),
                    startedAtNs: row.integer(4) ?? 0, isError: row.integer(5) == 1))
        }
    }

    /// Returns the timelines of some exchanges; exchanges that no longer exist are omitted.
    public func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline] {
        try read { database in
            let statement = try database.statement(
                "SELECT started_ns, timeline, flags FROM exchange WHERE id = ?")
            var timelines: [ExchangeID: Timeline] = [:]
            for id in ids {
                statement.bind([.integer(id.rawValue)])
                timelines[id] = try statement.first(StoreReader.timeline)
            }
            return timelines
        }
    }

    private static func timeline(_ row: SQLiteRow) -> Timeline {
        let flags = ExchangeFlags(rawValue: row.integer(2) ?? 0)
        return TimelineCoding.decode(
            row.bytes(1) ?? [], wallStart: row.integer(0) ?? 0,
            connectionReused: flags.contains(.connectionReused))
    }
}
