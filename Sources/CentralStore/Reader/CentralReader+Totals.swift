package import ProxydCaptureModel
package import ProxydFilter
package import ProxydHTTPModel

/// Totals of many exchanges.
extension CentralReader {
    package func summary(
        matching filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws(StoreError) -> ExchangeSummary {
        var summary = ExchangeSummary()
        let query = CentralQuery(filter)
        guard query.residual == nil else {
            try forEachPage(query, .newest, limit: CentralReader.pageCount) {
                (page) throws(StoreError) in
                for row in page { summary.add(row) }
                progress(summary, nil)
                return true
            }
            return summary
        }
        try addGroups(query, to: &summary)
        try addMeasures(query, to: &summary)
        return summary
    }

    private func addGroups(
        _ query: CentralQuery, to summary: inout ExchangeSummary
    ) throws(StoreError) {
        let statement = query.statement(
            """
            SELECT \(BranchTotals.centralSQL), min(exchange.started_ns), exchange.status,
              exchange.method, exchange.host FROM exchange
            """, "GROUP BY 6, 7, 8")
        let found = try use { connection throws(CentralError) in
            try connection.rows(statement.sql, statement.arguments) { $0 }
        }
        for row in found {
            summary.add(
                BranchTotals(row), firstStartedAtNs: row.integer(4) ?? 0, status: row.int(5),
                method: row.text(6), host: row.text(7))
        }
    }

    private func addMeasures(
        _ query: CentralQuery, to summary: inout ExchangeSummary
    ) throws(StoreError) {
        let statement = query.statement(
            """
            SELECT exchange.id, exchange.duration_ns, exchange.response_body_bytes,
              exchange.response_type, exchange.started_ns, \(BranchTotals.centralErrorSQL)
            FROM exchange
            """)
        let former = summary
        summary = try use { connection throws(CentralError) in
            // Anew each time: the statement is repeated if an idle connection has been closed.
            var measured = former
            try connection.run(statement.sql, statement.arguments) {
                row throws(CentralError) in
                measured.add(
                    ExchangeSummary.Measure(
                        id: ExchangeID(rawValue: row.integer(0) ?? 0),
                        durationNs: row.integer(1), responseByteCount: row.integer(2) ?? 0,
                        responseType: row.text(3), startedAtNs: row.integer(4) ?? 0,
                        isError: row.integer(5) == 1))
                return true
            }
            return measured
        }
    }

    package func branches(
        of parent: TreePath, matching filter: Filter, progress: (Branches, Double?) -> Void
    ) throws(StoreError) -> Branches {
        let query = CentralQuery(filter).below(parent)
        var branches = Branches()
        guard query.residual == nil else {
            try forEachPage(query, .newest, limit: CentralReader.pageCount) {
                (page) throws(StoreError) in
                for row in page { branches.add(row, below: parent) }
                progress(branches, nil)
                return true
            }
            return branches
        }
        for row in try groups(query, below: parent) {
            let name: Branches.Name =
                parent.server == nil
                ? .server(ServerName(scheme: row.text(4), host: row.text(5), port: row.int(6)))
                : Branches.name(step: row.text(4), below: parent)
            branches.add(BranchTotals(row), to: name)
        }
        return branches
    }

    private func groups(
        _ query: CentralQuery, below parent: TreePath
    ) throws(StoreError) -> [CentralRow] {
        let folder = parent.folder.isEmpty ? "/" : parent.folder
        let statement =
            parent.server == nil
            ? query.statement(
                """
                SELECT \(BranchTotals.centralSQL), exchange.scheme, exchange.host, exchange.port
                FROM exchange
                """, "GROUP BY 5, 6, 7")
            : query.statement(
                """
                SELECT \(BranchTotals.centralSQL), \(CentralReader.stepSQL) AS step
                FROM exchange
                """, "GROUP BY step", [.text(folder)])
        return try use { connection throws(CentralError) in
            try connection.rows(statement.sql, statement.arguments) { $0 }
        }
    }

    /// The path up to the next slash after a folder, which is the first argument.
    private static let stepSQL = """
        CASE WHEN substr(exchange.path, 1, 1) = '/' THEN substr(exchange.path, 1, \
        CASE position('/' in substr(exchange.path, 1 + length($1::text))) \
        WHEN 0 THEN length(exchange.path) \
        ELSE length($1::text) + position('/' in substr(exchange.path, 1 + length($1::text))) END) \
        ELSE exchange.path END
        """

    package func timelines(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeID: Timeline] {
        let pairs = try use { connection throws(CentralError) in
            try connection.rows(
                "SELECT id, started_ns, timeline, flags FROM exchange WHERE id = ANY ($1)",
                [.integers(ids.map(\.rawValue))]
            ) { row in
                let flags = ExchangeFlags(rawValue: row.integer(3) ?? 0)
                let timeline = TimelineCoding.decode(
                    row.bytes(2) ?? [], wallStart: row.integer(1) ?? 0,
                    connectionReused: flags.contains(.connectionReused))
                return (ExchangeID(rawValue: row.integer(0) ?? 0), timeline)
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension CentralQuery {
    /// The same filter, restricted to what is below a place of the tree.
    fileprivate func below(_ parent: TreePath) -> CentralQuery {
        guard let server = parent.server else { return self }
        let argument = PostgresFragment.argument
        func same(_ column: String, _ type: String, _ value: CentralValue) -> PostgresFragment {
            PostgresFragment(
                "exchange.\(column) IS NOT DISTINCT FROM \(argument)::\(type)", [value])
        }
        var parts = [
            same("host", "text", CentralValue(server.host)),
            same("scheme", "text", CentralValue(server.scheme)),
            same("port", "bigint", CentralValue(server.port.map { Int64($0) })),
        ]
        if !parent.folder.isEmpty {
            parts.append(
                PostgresFragment("starts_with(exchange.path, \(argument))", [.text(parent.folder)]))
        }
        return restricted(by: .conjunction(parts))
    }
}

extension BranchTotals {
    /// Whether an exchange failed or had a status of 400 or higher.
    static let centralErrorSQL = "coalesce(exchange.state = 2 OR exchange.status >= 400, false)"

    /// The columns the totals are made of; they must be the first ones of a row. Sums are numeric
    /// in PostgreSQL, and are cut to the range of a bigint.
    static let centralSQL = """
        count(*), count(*) FILTER (WHERE \(centralErrorSQL)), \
        least(coalesce(sum(exchange.request_body_bytes::numeric + exchange.response_body_bytes), \
        0), 9223372036854775807)::bigint, max(exchange.started_ns)
        """

    fileprivate init(_ row: CentralRow) {
        self.init()
        count = row.integer(0) ?? 0
        errorCount = row.integer(1) ?? 0
        byteCount = row.integer(2) ?? 0
        lastStartedAtNs = row.integer(3) ?? 0
    }
}
