internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Facts that only few exchanges have.
extension StoredExchange {
    static func reset(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> HTTP2Facts.Reset? {
        let statement = try database.statement("SELECT reset FROM exchange WHERE id = ?")
        statement.bind([.integer(id)])
        return try statement.first { $0.integer(0) }?.flatMap(ResetCoding.reset)
    }

    static func responseFault(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> ResponseFault? {
        let statement = try database.statement(
            """
            SELECT refused_octets, refused_reason, repaired FROM response_fault
            WHERE exchange_id = ?
            """)
        statement.bind([.integer(id)])
        return try statement.first { ResponseFault($0) }
    }

    static func appliedRules(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [AppliedRule] {
        try database.rows(
            """
            SELECT rule, phase, outcome, detail, hold_start_ns, hold_ns FROM applied_rule
            WHERE exchange_id = ? ORDER BY position
            """, [.integer(id)]
        ) { AppliedRule($0) }.compactMap { $0 }
    }
}
