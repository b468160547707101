package import ProxydCaptureModel
package import ProxydFilter
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// Lists and totals.
extension CentralReader: ExchangeReading {
    /// There is one central store.
    package var storeNumber: UInt64 { 1 }
    /// Machines deliver in any order.
    package var isOrderedByNumber: Bool { false }

    /// Returns a number that changes whenever a shipper delivers.
    package func changeNumber() throws(StoreError) -> Int64 {
        try use { connection throws(CentralError) in
            try connection.first(
                "SELECT coalesce(sum(through_id + change_sequence + delivered), 0)::bigint "
                    + "FROM shipper"
            ) { $0.integer(0) } ?? 0
        }
    }

    package func exchangeCount() throws(StoreError) -> Int64 {
        try use { connection throws(CentralError) in
            try connection.first("SELECT count(*) FROM exchange") { $0.integer(0) } ?? 0
        }
    }

    /// Returns the exchange that started last.
    package func lastExchangeID() throws(StoreError) -> ExchangeID? {
        try rows(.newest, limit: 1).first?.id
    }

    package func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow] {
        guard !ids.isEmpty else { return [] }
        let found = try rows(
            "\(CentralReader.rowSQL) WHERE exchange.id = ANY ($1)",
            [.integers(ids.map(\.rawValue))])
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return ids.compactMap { byID[$0] }
    }

    package func rows(
        matching filter: Filter, _ direction: PageDirection, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ExchangeRow] {
        guard limit > 0 else { return [] }
        var rows: [ExchangeRow] = []
        try forEachPage(CentralQuery(filter), direction, limit: limit) {
            (page) throws(StoreError) in
            rows += page
            return rows.count < limit
        }
        progress(1)
        return Array(rows.prefix(limit))
    }

    package func forEachRow(
        matching filter: Filter, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachPage(CentralQuery(filter), direction, limit: CentralReader.pageCount) {
            (page) throws(StoreError) in
            for row in page {
                guard try body(row) else { return false }
            }
            return true
        }
    }

    package func count(
        matching filter: Filter, progress: (Int64) -> Void
    ) throws(StoreError) -> Int64 {
        let query = CentralQuery(filter)
        guard query.residual != nil else {
            let statement = query.statement("SELECT count(*) FROM exchange")
            return try use { connection throws(CentralError) in
                try connection.first(statement.sql, statement.arguments) { $0.integer(0) } ?? 0
            }
        }
        var count: Int64 = 0
        try forEachPage(query, .newest, limit: CentralReader.pageCount) {
            (page) throws(StoreError) in
            count += Int64(page.count)
            progress(count)
            return true
        }
        return count
    }

    package func values(of column: SortColumn) throws(StoreError) -> [String] {
        try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT value::text FROM (
                  SELECT \(column.centralExpression) AS value FROM exchange
                  ORDER BY exchange.started_at DESC, exchange.id DESC LIMIT 3000) AS newest
                WHERE value IS NOT NULL GROUP BY value ORDER BY count(*) DESC, value LIMIT 200
                """
            ) { $0.text(0) }
        }
    }
}

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
        case .before(let id): Start(isAscending: false, after: (try place(of: id), id.rawValue))
        case .after(let id): Start(isAscending: true, after: (try place(of: id), id.rawValue))
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

    func passing(
        _ rows: [ExchangeRow], _ residual: FilterPredicate?
    ) throws(StoreError) -> [ExchangeRow] {
        guard let residual else { return rows }
        var passed: [ExchangeRow] = []
        for row in rows {
            if ReadCancellation.isCurrentCancelled { throw .cancelled }
            let failure = CentralSubject.Failure()
            let source = CentralSubject(id: row.id, reader: self, failure: failure)
            if residual.matches(StoredRowSubject(row, source)) { passed.append(row) }
            if let error = failure.error { throw error }
        }
        return passed
    }
}

struct CentralSubject: SubjectSource {
    let id: ExchangeID
    let reader: CentralReader
    let failure: Failure

    /// The first error of a read: a filter has no way to report one, and must not be believed then.
    final class Failure {
        var error: StoreError?
    }

    var heads: StoredHeads? { read { () throws(StoreError) in try reader.heads(of: id) } }
    var responseFault: ResponseFault? {
        read { () throws(StoreError) in try reader.responseFault(of: id) } ?? nil
    }

    private func read<Value>(_ body: () throws(StoreError) -> Value) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            failure.error = failure.error ?? error
            return nil
        }
    }
    var reset: HTTP2Facts.Reset? {
        let number = read { () throws(StoreError) -> Int64? in
            guard let started = try reader.start(of: id) else { return nil }
            return try reader.use { connection throws(CentralError) in
                try connection.first(
                    "SELECT reset FROM exchange WHERE id = $1 AND started_at = $2",
                    [.integer(id.rawValue), .timestamp(started)]
                ) { $0.integer(0) }
            }
        }
        return (number ?? nil).flatMap(ResetCoding.reset)
    }

    func parameterValues(named name: String) -> [String?] {
        let all = read { () throws(StoreError) in try reader.parameters(of: id) } ?? []
        return all.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    func body(of side: FilterSide) -> [UInt8] {
        let part: StoredMessage = side == .request ? .request : .response
        return read { () throws(StoreError) in
            try reader.body(of: id, part, byteCountMax: .max)
        } ?? []
    }

    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
        _ = read { () throws(StoreError) in
            try reader.forEachMessagePage(of: id, byteCountMax: .max) { page in
                for message in page {
                    if let kinds = messages.kinds, !kinds.contains(message.kind) { continue }
                    if let wanted = messages.direction, wanted != message.direction { continue }
                    guard body(message) else { return false }
                }
                return true
            }
        }
    }
}
