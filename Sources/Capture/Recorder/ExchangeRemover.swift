internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Deletes exchanges with everything that belongs to them. Call it inside a transaction only.
struct ExchangeRemover {
    private let statements: [SQLiteStatement]

    init(_ connection: StoreConnection) throws(StoreError) {
        let tables = [
            ("content", "exchange_id"), ("parameter", "exchange_id"),
            ("annotation", "exchange_id"), ("tag", "exchange_id"),
            ("open_exchange", "exchange_id"), ("response_fault", "exchange_id"),
            ("applied_rule", "exchange_id"), ("exchange", "id"),
        ]
        let shift = Schema.ChunkKey.exchangeShift
        var statements: [SQLiteStatement] = []
        for table in ["body_piece", "frame_piece", "message"] {
            statements.append(
                try SQLiteStatement(
                    connection.database,
                    """
                    DELETE FROM \(table)
                    WHERE key BETWEEN ?1 << \(shift) AND (?2 << \(shift)) + ((1 << \(shift)) - 1)
                      AND ?1 >= \(Schema.ChunkKey.exchangeIDs.lowerBound)
                      AND ?2 < \(Schema.ChunkKey.exchangeIDs.upperBound)
                    """))
        }
        for (table, column) in tables {
            statements.append(
                try SQLiteStatement(
                    connection.database, "DELETE FROM \(table) WHERE \(column) BETWEEN ?1 AND ?2"))
        }
        self.statements = statements
    }

    /// Deletes all exchanges whose numbers are in a range.
    func remove(_ ids: ClosedRange<Int64>) throws(StoreError) {
        for statement in statements {
            statement.bind(1, ids.lowerBound)
            statement.bind(2, ids.upperBound)
            try statement.run()
        }
    }
}
