internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Reads messages from `message`, and from the body if they are part of it.
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
        var bodies = StoredMessageBodies(exchange: id, database: database)
        var rows: [MessageRow] = []
        rows.reserveCapacity(found.count)
        for (row, bodyStart) in found {
            rows.append(try bodies.filled(row, from: bodyStart, byteCountMax: byteCountMax))
        }
        return rows
    }

    /// Passes the messages of an exchange to the closure, oldest first and with everything that is
    /// stored of them, until it returns false. Only one is in memory at a time.
    static func forEach(
        of id: Int64, among messages: FilterMessages = FilterMessages(), after position: Int64 = -1,
        byteCountMax: Int = .max, _ database: SQLiteConnection,
        _ body: (MessageRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard Schema.ChunkKey.exchangeIDs.contains(id), position < Schema.MessageKey.positionMax
        else { return }
        let start = try database.integer(
            "SELECT started_ns FROM exchange WHERE id = ?", [.integer(id)])
        guard let start else { return }
        var bodies = StoredMessageBodies(exchange: id, database: database)
        // Not cached: the closure may read messages, too.
        let statement = try SQLiteStatement(
            database,
            """
            SELECT \(columns) FROM message
            WHERE \((["key BETWEEN ?1 AND ?2"] + messages.conditions).joined(separator: " AND "))
            ORDER BY key
            """)
        statement.bind([
            .integer(Schema.MessageKey.key(exchange: id, position: position &+ 1)),
            .integer(Schema.MessageKey.key(exchange: id, position: .max)),
            bound(byteCountMax),
        ])
        try statement.takeRows(while: { (row) throws(StoreError) in
            try body(
                bodies.filled(
                    MessageRow(row, startedAtNs: start), from: row.integer(7),
                    byteCountMax: byteCountMax))
        })
    }

    /// Passes the contents of messages that are not part of a body to the closure, oldest first,
    /// until it returns false.
    static func forEachBytes(
        of id: Int64, _ database: SQLiteConnection, _ body: (MessageRecord.Kind, [UInt8]) -> Bool
    ) throws(StoreError) {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return }
        let statement = try database.statement(
            """
            SELECT kind, octets FROM message
            WHERE key BETWEEN ? AND ? AND octets IS NOT NULL ORDER BY key
            """)
        statement.bind([
            .integer(Schema.MessageKey.key(exchange: id, position: 0)),
            .integer(Schema.MessageKey.key(exchange: id, position: .max)),
        ])
        try statement.takeRows(while: { row in
            let kind = row.integer(0).flatMap(MessageRecord.Kind.init) ?? .invalid
            return body(kind, row.bytes(1) ?? [])
        })
    }

    /// How many bytes of a message are read. SQLite's `substr` takes 32-bit counts, which is more
    /// than any message has.
    private static func bound(_ byteCountMax: Int) -> SQLValue {
        .integer(min(Int64(max(0, byteCountMax)), Int64(Int32.max)))
    }

    private static let columns = """
        key, direction, kind, flags, time_ns, bytes, wire_bytes, body_offset, \
        substr(octets, 1, ?3), problem
        """

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
        let positions = page.positions(upTo: Schema.MessageKey.positionMax)
        guard positions.first <= positions.last else { return [] }
        let statement = try database.statement(
            """
            SELECT \(columns) FROM message WHERE key BETWEEN ?1 AND ?2
            ORDER BY key \(page.isAscending ? "ASC" : "DESC") LIMIT ?4
            """)
        statement.bind([
            .integer(Schema.MessageKey.key(exchange: id, position: positions.first)),
            .integer(Schema.MessageKey.key(exchange: id, position: positions.last)),
            bound(byteCountMax), .integer(Int64(limit)),
        ])
        var found: [(row: MessageRow, bodyStart: Int64?)] = []
        try statement.takeRows(while: { row in
            found.append((MessageRow(row, startedAtNs: start), row.integer(7)))
            return true
        })
        return found
    }
}

/// Reads the contents of messages that are part of a body, with the content codings removed. Each
/// body is looked up once, and the pieces read last are kept, because messages follow one after
/// another.
struct StoredMessageBodies {
    private enum Source {
        /// A body that had to be decoded, or is stored in its exchange's row.
        case whole([UInt8])
        /// The offset at which each piece starts.
        case pieces([Int64])
    }

    private let exchange: Int64
    private let database: SQLiteConnection
    private var sources: [MessageRecord.Direction: Source] = [:]
    private var window: (direction: MessageRecord.Direction, start: Int64, bytes: [UInt8])?

    init(exchange: Int64, database: SQLiteConnection) {
        self.exchange = exchange
        self.database = database
    }

    /// Returns a message with its contents, if they start at an offset in the body.
    mutating func filled(
        _ row: MessageRow, from start: Int64?, byteCountMax: Int
    ) throws(StoreError) -> MessageRow {
        guard let start else { return row }
        var row = row
        row.bodyStart = start
        row.bytes = try bytes(
            row.direction, from: start, count: row.byteCount, byteCountMax: byteCountMax)
        if row.bytes.count < min(row.byteCount, Int64(byteCountMax)) { row.flags.insert(.cut) }
        return row
    }

    private mutating func bytes(
        _ direction: MessageRecord.Direction, from start: Int64, count: Int64, byteCountMax: Int
    ) throws(StoreError) -> [UInt8] {
        let wanted = Int(clamping: max(0, min(count, Int64(byteCountMax))))
        guard start >= 0, wanted > 0 else { return [] }
        switch try source(direction) {
        case .whole(let bytes):
            return Array(StoredMessageBodies.part(of: bytes, from: start, count: wanted))
        case .pieces(let starts): return try bytes(direction, starts, from: start, count: wanted)
        }
    }

    private mutating func source(
        _ direction: MessageRecord.Direction
    ) throws(StoreError) -> Source {
        if let known = sources[direction] { return known }
        let part: BodyPart = direction == .toServer ? .request : .response
        let heads = try StoredExchange.heads(of: exchange, database)
        let fields = part == .request ? heads.requestHead?.fields : heads.responseHead?.fields
        let found: Source
        if let bytes = try StoredBody.messageBytes(of: exchange, part, fields, database) {
            found = .whole(bytes)
        } else if let shared = try StoredBody.shared(exchange, part, database) {
            found = .whole(shared)
        } else {
            found = .pieces(try StoredBody.pieceStarts(exchange, part, database))
        }
        sources[direction] = found
        return found
    }

    private mutating func bytes(
        _ direction: MessageRecord.Direction, _ starts: [Int64], from start: Int64, count: Int
    ) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let position = start &+ Int64(bytes.count)
            guard let part = try piecesAround(position, direction, starts) else { break }
            let found = StoredMessageBodies.part(
                of: part.bytes, from: position &- part.start, count: count &- bytes.count)
            guard !found.isEmpty else { break }
            bytes += found
        }
        return bytes
    }

    /// A part of the bytes, as far as it exists, even if a damaged row gives a wrong offset.
    private static func part(
        of bytes: [UInt8], from start: Int64, count: Int
    ) -> ArraySlice<UInt8> {
        guard start >= 0 else { return [] }
        return bytes.dropFirst(Int(clamping: start)).prefix(max(0, count))
    }

    /// Several pieces, the first of which contains a byte of the body, or nil if none does.
    private mutating func piecesAround(
        _ position: Int64, _ direction: MessageRecord.Direction, _ starts: [Int64]
    ) throws(StoreError) -> (start: Int64, bytes: [UInt8])? {
        if let window, window.direction == direction, window.start <= position,
            position &- window.start < Int64(window.bytes.count)
        {
            return (window.start, window.bytes)
        }
        guard let place = StoredMessageBodies.place(of: position, in: starts) else { return nil }
        let pieces = try StoredBody.pieces(
            exchange, direction == .toServer ? .request : .response, from: Int64(place), database)
        let bytes = Array(pieces.joined())
        window = (direction, starts[place], bytes)
        return (starts[place], bytes)
    }

    /// The index of the last of the ascending starts that is not after a position.
    private static func place(of position: Int64, in starts: [Int64]) -> Int? {
        var lower = 0
        var upper = starts.count
        while lower < upper {
            let middle = lower &+ (upper &- lower) / 2
            if starts[middle] <= position { lower = middle &+ 1 } else { upper = middle }
        }
        return lower == 0 ? nil : lower &- 1
    }
}

extension StoredMessage {
    /// The body that messages in this direction belong to.
    var bodyPart: BodyPart { self == .request ? .request : .response }
}
