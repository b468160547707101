public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel

/// Totals of many exchanges.
extension StoreReader {
    /// Scans all matching exchanges, window by window.
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
        _ window: ReadWindow, _ condition: (sql: String, arguments: [SQLValue]),
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
        _ window: ReadWindow, _ condition: (sql: String, arguments: [SQLValue]),
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

    // MARK: The tree of servers and paths, level by level

    /// Scans all rows below the place, window by window.
    public func branches(
        of parent: TreePath, matching filter: Filter = .everything,
        progress: (Branches, Double?) -> Void = { _, _ in }
    ) throws(StoreError) -> Branches {
        let compiled = filter.compile().below(parent)
        try attachIndex()
        var branches = Branches()
        guard compiled.residual == nil, compiled.searches.isEmpty else {
            try forEachPage(compiled, .newest, limit: StoreReader.pageCount) { page, share in
                for row in page { branches.add(row, below: parent) }
                progress(branches, share)
                return true
            }
            return branches
        }
        try forEachWindow(compiled) { window, condition, database in
            try StoreReader.addBranches(of: parent, window, condition, database, to: &branches)
            progress(branches, window.share)
        }
        return branches
    }

    private static func addBranches(
        of parent: TreePath, _ window: ReadWindow,
        _ condition: (sql: String, arguments: [SQLValue]), _ database: SQLiteConnection,
        to branches: inout Branches
    ) throws(StoreError) {
        let step: (sql: String, arguments: [SQLValue]) =
            parent.server == nil
            ? ("exchange.scheme, exchange.host, exchange.port", [])
            : StoreReader.step(below: parent.folder)
        let statement = try SQLiteStatement(
            database,
            """
            SELECT \(BranchTotals.sql), \(step.sql)
            FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
            GROUP BY \(parent.server == nil ? "5, 6, 7" : "5")
            """)
        statement.bind(step.arguments + window.values + condition.arguments)
        try statement.forEachRow { row in
            let name: Branches.Name =
                parent.server == nil
                ? .server(ServerName(scheme: row.text(4), host: row.text(5), port: row.int(6)))
                : Branches.name(step: row.text(4), below: parent)
            branches.add(BranchTotals(row), to: name)
        }
    }

    /// The path up to the next slash after a folder.
    private static func step(below folder: String) -> (sql: String, arguments: [SQLValue]) {
        let folder = folder.isEmpty ? "/" : folder
        let sql = """
            CASE WHEN substr(exchange.path, 1, 1) = '/'
              THEN substr(exchange.path, 1, CASE instr(substr(exchange.path, 1 + length(?)), '/')
                WHEN 0 THEN length(exchange.path)
                ELSE length(?) + instr(substr(exchange.path, 1 + length(?)), '/') END)
              ELSE exchange.path END
            """
        return (sql, Array(repeating: .text(folder), count: 3))
    }
}

extension CompiledFilter {
    /// The same filter, restricted to what is below a place of the tree.
    func below(_ parent: TreePath) -> CompiledFilter {
        guard let server = parent.server else { return self }
        var sql = "exchange.host IS ? AND exchange.scheme IS ? AND exchange.port IS ?"
        var more: [SQLValue] = [
            SQLValue(server.host), SQLValue(server.scheme), SQLValue(server.port.map { Int64($0) }),
        ]
        if !parent.folder.isEmpty {
            sql += " AND substr(exchange.path, 1, length(?)) = ?"
            more += [.text(parent.folder), .text(parent.folder)]
        }
        let probe = server.host.map {
            IndexProbe(
                sql: "SELECT exchange_id FROM side.host WHERE host = ?", arguments: [.text($0)])
        }
        return CompiledFilter(
            sqlCondition: "\(sql) AND (\(sqlCondition))",
            arguments: more + arguments, residual: residual,
            probes: probes + [probe].compactMap { $0 }, searches: searches)
    }
}

extension BranchTotals {
    /// Whether an exchange failed or had a status of 400 or higher; NULL or 0 if it did not.
    static let errorSQL = "(exchange.state = 2 OR exchange.status >= 400)"

    /// The columns the totals are made of; they must be the first ones of a row.
    static let sql = """
        count(*), count(CASE WHEN \(errorSQL) THEN 1 END),
          CAST(total(exchange.request_body_bytes + exchange.response_body_bytes) AS INTEGER),
          max(exchange.started_ns)
        """

    init(_ row: SQLiteRow) {
        self.init()
        count = row.integer(0) ?? 0
        errorCount = row.integer(1) ?? 0
        byteCount = row.integer(2) ?? 0
        lastStartedAtNs = row.integer(3) ?? 0
    }
}
