internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Messages out of `message`, and out of the body where they are a part of it.
enum StoredMessages {
    static func page(
        of id: Int64, _ page: MessagePage, _ limit: Int, byteCountMax: Int,
        _ database: SQLiteConnection
    ) throws(StoreError) -> [MessageRow] {
        guard limit > 0, Schema.ChunkKey.exchangeIDs.contains(id) else { return [] }
        let start = try database.integer(
            "SELECT started_ns FROM exchange WHERE id = ?", [.integer(id)])
        guard let start else { return [] }
        let found = try keyed(id, page, limit, start, byteCountMax, database)
        var bodies = BodyParts(exchange: id, database: database)
        var rows: [MessageRow] = []
        rows.reserveCapacity(found.count)
        for (row, bodyStart) in found {
            var row = row
            if let bodyStart {
                let part = try bodies.octets(
                    row.direction, from: bodyStart, count: row.byteCount,
                    byteCountMax: byteCountMax)
                row.octets = part
                if part.count < min(row.byteCount, Int64(byteCountMax)) { row.flags.insert(.cut) }
            }
            rows.append(row)
        }
        return rows
    }

    static func lastPosition(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Int64? {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return nil }
        let key = try database.integer(
            "SELECT max(key) FROM message WHERE key BETWEEN ? AND ?",
            [
                .integer(Schema.MessageKey.key(exchange: id, position: 0)),
                .integer(Schema.MessageKey.key(exchange: id, position: .max)),
            ])
        return key.map { $0 & Schema.MessageKey.positionMax }
    }

    private static func keyed(
        _ id: Int64, _ page: MessagePage, _ limit: Int, _ start: Int64, _ byteCountMax: Int,
        _ database: SQLiteConnection
    ) throws(StoreError) -> [(row: MessageRow, bodyStart: Int64?)] {
        let positions = positions(of: page)
        guard positions.first <= positions.last else { return [] }
        let statement = try database.statement(
            """
            SELECT key, direction, kind, flags, time_ns, bytes, wire_bytes, body_offset,
              substr(octets, 1, ?3), problem
            FROM message WHERE key BETWEEN ?1 AND ?2
            ORDER BY key \(page.isAscending ? "ASC" : "DESC") LIMIT ?4
            """)
        statement.bind([
            .integer(Schema.MessageKey.key(exchange: id, position: positions.first)),
            .integer(Schema.MessageKey.key(exchange: id, position: positions.last)),
            .integer(Int64(max(0, byteCountMax))), .integer(Int64(limit)),
        ])
        var found: [(row: MessageRow, bodyStart: Int64?)] = []
        try statement.takeRows(while: { row in
            found.append((message(row, start), row.integer(7)))
            return true
        })
        return found
    }

    private static func positions(of page: MessagePage) -> (first: Int64, last: Int64) {
        switch page {
        case .newest, .oldest: (0, .max)
        case .before(let position): (0, position &- 1)
        case .after(let position): (position &+ 1, .max)
        case .at(let position): (position, position)
        }
    }

    private static func message(_ row: SQLiteRow, _ start: Int64) -> MessageRow {
        MessageRow(
            position: (row.integer(0) ?? 0) & Schema.MessageKey.positionMax,
            direction: row.integer(1).flatMap(MessageRecord.Direction.init) ?? .toServer,
            kind: row.integer(2).flatMap(MessageRecord.Kind.init) ?? .invalid,
            flags: MessageRecord.Flags(rawValue: row.integer(3) ?? 0),
            atNs: start &+ (row.integer(4) ?? 0), byteCount: max(0, row.integer(5) ?? 0),
            wireByteCount: max(0, row.integer(6) ?? 0), problem: row.text(9),
            octets: row.octets(8) ?? [])
    }
}

/// Parts of an exchange's bodies with their content-codings undone; each body is looked up once.
private struct BodyParts {
    private enum Source {
        /// A body that had to be decoded, or is in its exchange's row.
        case whole([UInt8])
        /// Where each piece begins.
        case pieces([Int64])
    }

    private let exchange: Int64
    private let database: SQLiteConnection
    private var sources: [MessageRecord.Direction: Source] = [:]

    init(exchange: Int64, database: SQLiteConnection) {
        self.exchange = exchange
        self.database = database
    }

    mutating func octets(
        _ direction: MessageRecord.Direction, from start: Int64, count: Int64, byteCountMax: Int
    ) throws(StoreError) -> [UInt8] {
        let wanted = Int(clamping: max(0, min(count, Int64(byteCountMax))))
        guard start >= 0, wanted > 0 else { return [] }
        switch try source(direction) {
        case .whole(let octets):
            guard start < octets.count else { return [] }
            let first = Int(start)
            return Array(octets[first..<min(octets.count, first &+ wanted)])
        case .pieces(let starts):
            return try octets(direction, starts, from: start, count: wanted)
        }
    }

    private mutating func source(
        _ direction: MessageRecord.Direction
    ) throws(StoreError) -> Source {
        if let known = sources[direction] { return known }
        let side: FilterSide = direction == .toServer ? .request : .response
        let part: BodyPart = direction == .toServer ? .request : .response
        let heads = try StoredExchange.heads(of: exchange, database)
        let fields = side == .request ? heads.requestHead?.fields : heads.responseHead?.fields
        let found: Source
        if let bytes = try StoredBody.messageBytes(of: exchange, side, fields, database) {
            found = .whole(bytes)
        } else if let shared = try StoredBody.shared(exchange, part, database) {
            found = .whole(shared)
        } else {
            found = .pieces(try StoredBody.pieceStarts(exchange, part, database))
        }
        sources[direction] = found
        return found
    }

    private func octets(
        _ direction: MessageRecord.Direction, _ starts: [Int64], from start: Int64, count: Int
    ) throws(StoreError) -> [UInt8] {
        guard let place = starts.lastIndex(where: { $0 <= start }) else { return [] }
        var octets: [UInt8] = []
        var position = Int64(place)
        let skipped = Int(start &- starts[place])
        while octets.count < skipped &+ count {
            let pieces = try StoredBody.pieces(
                exchange, direction == .toServer ? .request : .response, from: position, database)
            if pieces.isEmpty { break }
            for piece in pieces {
                octets += piece
                position &+= 1
                if octets.count >= skipped &+ count { break }
            }
        }
        guard skipped < octets.count else { return [] }
        return Array(octets[skipped..<min(octets.count, skipped &+ count)])
    }
}
