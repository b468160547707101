internal import GRDB
internal import ProxydHTTPModel

/// What was wrong with a response, out of the table that few exchanges have a row in.
extension StoredExchange {
    static func responseFault(of id: Int64, _ database: Database) throws -> ResponseFault? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT refused_octets, refused_reason, repaired FROM response_fault
                WHERE exchange_id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
        let columns = ColumnReader(row)
        return ResponseFault(
            refusal: columns.text(1).map {
                ResponseFault.Refusal(octets: columns.octets(0) ?? [], reason: $0)
            },
            repairs: ResponseFaultCoding.repairs(of: columns.text(2)))
    }
}
