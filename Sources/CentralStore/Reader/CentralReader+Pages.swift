internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Pages of rows, in the order in which exchanges started.
extension CentralReader {
    /// Where a page starts: after a row, or at an end.
    private struct Start {
        var isAscending: Bool
        var after: (place: Int64, id: Int64)?
    }

    private func start(_ direction: PageDirection) throws(StoreError) -> Start {
        switch direction {
        case .newest: Start(isAscending: false)
        case .oldest: Start(isAscending: true)
        case .before(let id):
            Start(isAscending: false, after: (try place(of: id), id.rawValue))
        case .after(let id):
            Start(isAscending: true, after: (try place(of: id), id.rawValue))
        }
    }

    /// Passes pages of at most `limit` rows, including empty ones, to the closure until it returns
    /// false. No statement runs while the closure does.
    func forEachPage(
        _ query: CentralQuery, _ direction: PageDirection, limit: Int,
        _ body: ([ExchangeRow]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var start = try start(direction)
        var limit = min(limit, CentralReader.pageCount)
        while true {
            let page = try page(query, start, limit: limit)
            guard let last = page.last else { return }
            guard try body(passing(page, query.residual)), page.count == limit else { return }
            start.after = (try place(of: last.id), last.id.rawValue)
            // A predicate lets few rows through: larger pages need fewer round trips.
            limit = CentralReader.pageCount
        }
    }

    private func page(
        _ query: CentralQuery, _ start: Start, limit: Int
    ) throws(StoreError) -> [ExchangeRow] {
        var query = query
        if let after = start.after {
            let sign = start.isAscending ? ">" : "<"
            let argument = PostgresFragment.argument
            query = query.restricted(
                by: PostgresFragment(
                    "exchange.started_at \(sign)= \(argument) AND "
                        + "(exchange.started_at, exchange.id) \(sign) (\(argument), \(argument))",
                    [.timestamp(after.place), .timestamp(after.place), .integer(after.id)]))
        }
        let order = start.isAscending ? "ASC" : "DESC"
        let statement = query.statement(
            CentralReader.rowSQL,
            "ORDER BY exchange.started_at \(order), exchange.id \(order) LIMIT \(limit)")
        return try rows(statement.sql, statement.arguments)
    }

    /// The rows that satisfy a predicate.
    func passing(
        _ rows: [ExchangeRow], _ residual: FilterPredicate?
    ) throws(StoreError) -> [ExchangeRow] {
        guard let residual else { return rows }
        var passed: [ExchangeRow] = []
        for row in rows {
            if ReadCancellation.isCurrentCancelled { throw .cancelled }
            let failure = CentralSubject.Failure()
            let source = CentralSubject(id: row.id, reader: self, failure: failure)
            if residual.matches(StoredSubject(row, source)) { passed.append(row) }
            if let error = failure.error { throw error }
        }
        return passed
    }
}
