package import ProxydCaptureModel
package import ProxydFilter
package import ProxydHTTPModel

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

    /// Returns the number of exchanges in the store.
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
        matching filter: Filter, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void
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
