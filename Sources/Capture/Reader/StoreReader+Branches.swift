internal import GRDB
public import ProxydCaptureModel
public import ProxydFilter
internal import ProxydHTTPModel

/// The tree of servers and paths, level by level.
extension StoreReader {
    /// What lies one step below a place, of the exchanges that pass a filter. All rows below the
    /// place are looked at, window by window; `progress` is told what was found so far, and the
    /// share of the store that was looked at, 0 to 1.
    public func branches(
        of place: PathPlace, matching filter: Filter = .everything,
        progress: (Branches, Double?) -> Void = { _, _ in }
    ) throws(StoreError) -> Branches {
        let compiled = filter.compile().below(place)
        try attachIndex()
        var branches = Branches()
        guard compiled.residual == nil, compiled.searches.isEmpty else {
            try forEachPage(compiled, .newest, limit: StoreReader.pageCount) { page, share in
                for row in page { branches.add(row, below: place) }
                progress(branches, share)
                return true
            }
            return branches
        }
        try forEachWindow(compiled) { window, condition, database in
            try StoreReader.addBranches(of: place, window, condition, database, to: &branches)
            progress(branches, window.share)
        }
        return branches
    }

    private static func addBranches(
        of place: PathPlace, _ window: LookWindow,
        _ condition: (sql: String, arguments: StatementArguments), _ database: Database,
        to branches: inout Branches
    ) throws {
        let step =
            place.server == nil
            ? ("exchange.scheme, exchange.host, exchange.port", StatementArguments())
            : StoreReader.step(below: place.folder)
        let sql = """
            SELECT count(*),
              count(CASE WHEN exchange.state = 2 OR exchange.status >= 400 THEN 1 END),
              CAST(total(exchange.request_body_bytes + exchange.response_body_bytes) AS INTEGER),
              max(exchange.started_ns), \(step.0)
            FROM exchange WHERE exchange.id BETWEEN ? AND ? AND (\(condition.sql))
            GROUP BY \(place.server == nil ? "5, 6, 7" : "5")
            """
        let rows = try Row.fetchCursor(
            database, sql: sql,
            arguments: step.1 + [window.lowest, window.highest] + condition.arguments)
        while let row = try rows.next() {
            let columns = ColumnReader(row)
            var totals = BranchTotals()
            totals.count = columns.integer(0) ?? 0
            totals.errorCount = columns.integer(1) ?? 0
            totals.byteCount = columns.integer(2) ?? 0
            totals.lastStartedAtNs = columns.integer(3) ?? 0
            let name: Branches.Name =
                place.server == nil
                ? .server(
                    ServerName(
                        scheme: columns.text(4), host: columns.text(5), port: columns.int(6)))
                : Branches.name(step: columns.text(4), below: place)
            branches.add(totals, to: name)
        }
    }

    /// A path up to the next slash behind a folder.
    private static func step(below folder: String) -> (String, StatementArguments) {
        let folder = folder.isEmpty ? "/" : folder
        let sql = """
            CASE WHEN substr(exchange.path, 1, 1) = '/'
              THEN substr(exchange.path, 1, CASE instr(substr(exchange.path, 1 + length(?)), '/')
                WHEN 0 THEN length(exchange.path)
                ELSE length(?) + instr(substr(exchange.path, 1 + length(?)), '/') END)
              ELSE exchange.path END
            """
        return (sql, [folder, folder, folder])
    }
}

extension CompiledFilter {
    /// The same for what lies below a place of the tree.
    func below(_ place: PathPlace) -> CompiledFilter {
        guard let server = place.server else { return self }
        var sql = "exchange.host IS ? AND exchange.scheme IS ? AND exchange.port IS ?"
        var more: [DatabaseValue] = [
            server.host.databaseValue, server.scheme.databaseValue, server.port.databaseValue,
        ]
        if !place.folder.isEmpty {
            sql += " AND substr(exchange.path, 1, length(?)) = ?"
            more += [place.folder.databaseValue, place.folder.databaseValue]
        }
        let probe = server.host.map {
            IndexProbe(
                sql: "SELECT exchange_id FROM side.host WHERE host = ?",
                arguments: [$0.databaseValue])
        }
        return CompiledFilter(
            sqlCondition: "\(sql) AND (\(sqlCondition))",
            arguments: StatementArguments(more) + arguments, residual: residual,
            probes: probes + [probe].compactMap { $0 }, searches: searches)
    }
}
