internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydStoreCoding

/// Reads bodies from `content` and `body_piece`.
enum StoredBody {
    /// A stored body, complete or up to a number of bytes.
    static func bytes(
        of id: Int64, _ part: BodyPart, _ database: SQLiteConnection, byteCountMax: Int = .max
    ) throws(StoreError) -> [UInt8] {
        var bytes = try shared(id, part, database) ?? []
        var position: Int64 = 0
        while bytes.count < byteCountMax {
            let pieces = try pieces(id, part, from: position, database)
            for piece in pieces { bytes += piece }
            position += Int64(pieces.count)
            if pieces.isEmpty { break }
        }
        return bytes.count > byteCountMax ? Array(bytes.prefix(byteCountMax)) : bytes
    }

    /// The text of a stored body as UTF-8, with its content codings removed, or its bytes if it is
    /// no text; nil if nothing was stored.
    /// - Parameter isCut: Whether only its start was stored.
    static func text(
        of id: Int64, _ side: FilterSide, isCut: Bool, _ database: SQLiteConnection,
        limits: DecodingLimits = DecodingLimits()
    ) throws(StoreError) -> (bytes: [UInt8], failure: ContentCodingError?)? {
        let part: BodyPart = side == .request ? .request : .response
        let bytes = try bytes(of: id, part, database)
        guard !bytes.isEmpty else { return nil }
        let heads = try StoredExchange.heads(of: id, database)
        let fields = side == .request ? heads.requestHead?.fields : heads.responseHead?.fields
        return BodyDecoding.text(bytes, fields, isCut: isCut, limits: limits)
    }

    /// The body if it is stored in the exchange's row, or nil if it is not.
    static func shared(_ id: Int64, _ part: BodyPart, _ database: SQLiteConnection)
        throws(StoreError) -> [UInt8]?
    {
        let column: String
        switch part {
        case .request: column = "request_body"
        case .response: column = "response_body"
        case .requestSent, .responseSent: return nil
        }
        let statement = try database.statement(
            "SELECT \(column) FROM content WHERE exchange_id = ?")
        statement.bind([.integer(id)])
        return try statement.first { $0.bytes(0) } ?? nil
    }

    /// The offset at which each piece of a body starts, in bytes, up to the first missing piece.
    /// Does not read any piece.
    static func pieceStarts(
        _ id: Int64, _ part: BodyPart, _ database: SQLiteConnection
    ) throws(StoreError) -> [Int64] {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return [] }
        let first = Schema.ChunkKey.key(exchange: id, part: part, position: 0)
        let last = Schema.ChunkKey.key(
            exchange: id, part: part, position: Schema.ChunkKey.positionMax)
        let statement = try database.statement(
            "SELECT key, length(octets) FROM body_piece WHERE key BETWEEN ? AND ? ORDER BY key")
        statement.bind([.integer(first), .integer(last)])
        var starts: [Int64] = []
        var end: Int64 = 0
        try statement.takeRows(while: { row in
            guard row.integer(0) == first &+ Int64(starts.count) else { return false }
            starts.append(end)
            end = end.addingClamped(max(0, row.integer(1) ?? 0))
            return true
        })
        return starts
    }

    /// The next pieces, at most `count`, up to the first missing one. In a damaged file a piece may
    /// be anywhere, and would be found again from every position before it.
    static func pieces(
        _ id: Int64, _ part: BodyPart, from position: Int64, count: Int64 = 64,
        _ database: SQLiteConnection
    ) throws(StoreError) -> [[UInt8]] {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return [] }
        let first = Schema.ChunkKey.key(exchange: id, part: part, position: position)
        let last = Schema.ChunkKey.key(
            exchange: id, part: part, position: Schema.ChunkKey.positionMax)
        let statement = try database.statement(
            """
            SELECT key, octets FROM body_piece WHERE key BETWEEN ? AND ?
            ORDER BY key LIMIT ?
            """)
        statement.bind([.integer(first), .integer(last), .integer(count)])
        var pieces: [[UInt8]] = []
        try statement.takeRows(while: { row in
            guard row.integer(0) == first &+ Int64(pieces.count) else { return false }
            pieces.append(row.bytes(1) ?? [])
            return true
        })
        return pieces
    }
}
