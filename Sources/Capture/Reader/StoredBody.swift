internal import GRDB

/// Bodies out of `content` and `body_piece`.
enum StoredBody {
    /// A kept body, whole or up to a number of octets.
    static func octets(
        of id: Int64, _ part: BodyPart, _ database: Database, byteCountMax: Int = .max
    ) throws -> [UInt8] {
        var octets = try shared(id, part, database) ?? []
        var position: Int64 = 0
        while octets.count < byteCountMax {
            let pieces = try pieces(id, part, from: position, database)
            for piece in pieces { octets += piece }
            position += Int64(pieces.count)
            if pieces.isEmpty { break }
        }
        return octets.count > byteCountMax ? Array(octets.prefix(byteCountMax)) : octets
    }

    /// The body where it is part of the exchange's row; nil where it is not.
    static func shared(_ id: Int64, _ part: BodyPart, _ database: Database) throws -> [UInt8]? {
        let column: String
        switch part {
        case .request: column = "request_body"
        case .response: column = "response_body"
        case .requestSent, .responseSent: return nil
        }
        let statement = try database.cachedStatement(
            sql: "SELECT \(column) FROM content WHERE exchange_id = ?")
        return try Row.fetchOne(statement, arguments: [id]).flatMap { ColumnReader($0).octets(0) }
    }

    /// The next pieces, at most 64.
    static func pieces(
        _ id: Int64, _ part: BodyPart, from position: Int64, _ database: Database
    ) throws -> [[UInt8]] {
        let first = Schema.ChunkKey.key(exchange: id, part: part, position: position)
        let last = Schema.ChunkKey.key(
            exchange: id, part: part, position: Schema.ChunkKey.positionMax)
        let statement = try database.cachedStatement(
            sql: "SELECT octets FROM body_piece WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 64")
        return try Row.fetchAll(statement, arguments: [first, last]).map {
            ColumnReader($0).octets(0) ?? []
        }
    }
}
