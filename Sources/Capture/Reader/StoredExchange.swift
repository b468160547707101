internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel

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

    /// Loads an exchange, or returns nil if it does not exist. Longer bodies are truncated.
    static func load(
        _ id: Int64, bodyByteCountMax: Int, _ database: SQLiteConnection
    ) throws(StoreError) -> Exchange? {
        let found = try database.first(columnsSQL, [.integer(id)]) { ExchangeColumns($0) }
        guard let columns = found else { return nil }
        var parts = StoredExchangeParts(columns: columns, heads: try heads(of: id, database))
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
        _ parts: inout StoredExchangeParts, of id: Int64, byteCountMax: Int,
        _ database: SQLiteConnection
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

    /// The facts about a connection, or nil if the store does not have it.
    static func connection(
        _ id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> ConnectionRecord? {
        try database.first(connectionSQL, [.integer(id)]) { ConnectionRecord(id, $0) } ?? nil
    }

    private static let connectionSQL = """
        SELECT \(ConnectionRecord.storedColumns.joined(separator: ", "))
        FROM connection LEFT JOIN certificate_chain chain ON chain.id = certificate_chain_id
        WHERE connection.id = ?
        """

    static func annotations(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Exchange.Annotations {
        var annotations = Exchange.Annotations()
        let values: [SQLValue] = [.integer(id)]
        let found = try database.first(
            "SELECT note, pinned FROM annotation WHERE exchange_id = ?", values
        ) { (note: $0.text(0), isPinned: $0.integer(1) == 1) }
        if let found {
            annotations.note = found.note
            annotations.isPinned = found.isPinned
        }
        annotations.tags = try database.texts(
            "SELECT tag FROM tag WHERE exchange_id = ? ORDER BY position", values)
        return annotations
    }

    // MARK: Facts that only few exchanges have

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
        ) { AppliedRule($0) }
    }
}

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

    /// The bytes in which positions of messages are counted, or nil if they are the body's own.
    static func messageBytes(
        of id: Int64, _ part: BodyPart, _ fields: HeaderFields?, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8]? {
        guard let fields, BodyDecoding.hasMessageBytes(fields) else { return nil }
        return BodyDecoding.messageBytes(try bytes(of: id, part, database), fields)
    }
}
