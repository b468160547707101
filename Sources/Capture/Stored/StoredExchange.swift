internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Reads whole exchanges from the tables.
enum StoredExchange {
    static func heads(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> StoredHeads {
        let statement = try database.statement(headsSQL)
        statement.bind([.integer(id)])
        return try statement.first { StoredHeads($0) } ?? StoredHeads()
    }

    private static let headsSQL =
        "SELECT \(StoredHeads.columns.joined(separator: ", ")) FROM content WHERE exchange_id = ?"

    private static let columnsSQL =
        "SELECT \(ExchangeColumns.columns.joined(separator: ", ")) FROM exchange WHERE id = ?"

    /// Loads an exchange, or returns nil if it does not exist. Bodies longer than the limit are
    /// truncated.
    static func load(
        _ id: Int64, bodyByteCountMax: Int, _ database: SQLiteConnection
    ) throws(StoreError) -> Exchange? {
        let found = try database.first(columnsSQL, [.integer(id)]) { ExchangeColumns($0) }
        guard let columns = found else { return nil }
        var parts = StoredParts(columns: columns, heads: try heads(of: id, database))
        try readBodies(&parts, of: id, byteCountMax: bodyByteCountMax, database)
        parts.laterFrames = try laterFrames(of: id, database)
        if let client = columns.client { parts.client = try connection(client, database) }
        if let server = columns.server { parts.server = try connection(server, database) }
        if columns.flags.contains(.responseFault) {
            parts.responseFault = try responseFault(of: id, database)
        }
        if columns.flags.contains(.appliedRules) {
            parts.appliedRules = try appliedRules(of: id, database)
        }
        parts.annotations = try annotations(of: id, database)
        return parts.exchange(ExchangeID(rawValue: id))
    }

    private static func readBodies(
        _ parts: inout StoredParts, of id: Int64, byteCountMax: Int, _ database: SQLiteConnection
    ) throws(StoreError) {
        parts.requestBody = try StoredBody.bytes(
            of: id, .request, database, byteCountMax: byteCountMax)
        parts.responseBody = try StoredBody.bytes(
            of: id, .response, database, byteCountMax: byteCountMax)
        parts.requestBodySent = try sentBody(of: id, .requestSent, byteCountMax, database)
        parts.responseBodySent = try sentBody(of: id, .responseSent, byteCountMax, database)
    }

    /// A body as forwarded, or nil if it is the one received.
    static func sentBody(
        of id: Int64, _ part: BodyPart, _ byteCountMax: Int, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8]? {
        guard try !StoredBody.pieces(id, part, from: 0, count: 1, database).isEmpty else {
            return nil
        }
        return try StoredBody.bytes(of: id, part, database, byteCountMax: byteCountMax)
    }

    /// Frames that were recorded after those in `content`.
    static func laterFrames(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8] {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return [] }
        let first = id << Schema.ChunkKey.exchangeShift
        let statement = try database.statement(
            "SELECT octets FROM frame_piece WHERE key BETWEEN ? AND ? ORDER BY key")
        statement.bind([.integer(first), .integer(first + Schema.ChunkKey.positionMax)])
        var bytes: [UInt8] = []
        try statement.takeRows(while: { row in
            bytes += row.bytes(0) ?? []
            return true
        })
        return bytes
    }
}
