package import ProxydCaptureModel
package import ProxydHTTPModel
package import ProxydParameterCoding

/// Whole exchanges and their parts. Each statement names the start of the exchange as well, because
/// all tables are partitioned by it.
extension CentralReader {
    package func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws(StoreError) -> Exchange? {
        let limit = Int64(clamping: bodyByteCountMax)
        guard let started = try start(of: id), let row = try mainRow(id, started, limit) else {
            return nil
        }
        let columnCount = ExchangeColumns.columns.count
        let columns = ExchangeColumns(row)
        var parts = StoredExchangeParts(
            columns: columns, heads: StoredHeads(row.dropping(columnCount)))
        let rest = row.dropping(columnCount + StoredHeads.columns.count)
        parts.requestBody = try body(rest.bytes(0), of: id, .request, limit)
        parts.responseBody = try body(rest.bytes(1), of: id, .response, limit)
        parts.requestBodySent = rest.bytes(2)
        parts.responseBodySent = rest.bytes(3)
        if columns.flags.contains(.responseFault) {
            parts.responseFault = ResponseFault(rest.dropping(4))
        }
        let later = rest.dropping(7)
        parts.annotations = Exchange.Annotations(
            note: later.text(0), tags: row.texts(row.values.count - 2),
            isPinned: later.integer(2) == 1)
        if columns.flags.contains(.appliedRules) {
            parts.appliedRules = try appliedRules(of: id, started)
        }
        let connections = try connections([columns.client, columns.server], started)
        parts.client = columns.client.flatMap { connections[$0] }
        parts.server = columns.server.flatMap { connections[$0] }
        return parts.exchange(id)
    }

    private func mainRow(
        _ id: ExchangeID, _ started: Int64, _ bodyByteCountMax: Int64
    ) throws(StoreError) -> CentralRow? {
        let columns = ExchangeColumns.columns.map {
            "exchange." + ($0 == "user" ? "user_name" : $0)
        }
        let heads = StoredHeads.columns.map { "content.\($0)" }
        let bodies = ["request_body", "response_body", "request_body_sent", "response_body_sent"]
            .map { "substr(content.\($0), 1, $3::bigint::integer)" }
        let rest = [
            "content.refused_octets", "content.refused_reason", "content.repaired",
            "exchange.note", "exchange.tags", "exchange.pinned",
        ]
        let list = (columns + heads + bodies + rest).joined(separator: ", ")
        return try use { connection throws(CentralError) in
            try connection.first(
                """
                SELECT \(list) FROM exchange LEFT JOIN content
                  ON content.started_at = exchange.started_at
                  AND content.exchange_id = exchange.id
                WHERE exchange.id = $1 AND exchange.started_at = $2
                """,
                [
                    .integer(id.rawValue), .timestamp(started),
                    .integer(min(bodyByteCountMax, Int64(Int32.max))),
                ]
            ) { $0 }
        }
    }

    private func appliedRules(
        of id: ExchangeID, _ started: Int64
    ) throws(StoreError) -> [AppliedRule] {
        try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT rule, phase, outcome, detail, applied_rule.hold_start_ns,
                  applied_rule.hold_ns FROM applied_rule
                WHERE started_at = $1 AND exchange_id = $2 ORDER BY position
                """, [.timestamp(started), .integer(id.rawValue)]
            ) { AppliedRule($0) }
        }
    }

    private func connections(
        _ ids: [Int64?], _ started: Int64
    ) throws(StoreError) -> [Int64: ConnectionRecord] {
        let ids = ids.compactMap { $0 }
        guard !ids.isEmpty else { return [:] }
        let columns = ConnectionRecord.storedColumns.map {
            $0 == "octets" ? "chain.octets" : "connection.\($0)"
        }
        let records = try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT connection.id, \(columns.joined(separator: ", ")) FROM connection
                LEFT JOIN certificate_chain chain ON chain.digest = connection.certificate_chain
                WHERE connection.started_at = $1 AND connection.id = ANY ($2)
                """,
                [.timestamp(CentralTime.startOfDay(microseconds: started)), .integers(ids)]
            ) { row in row.integer(0).flatMap { ConnectionRecord($0, row.dropping(1)) } }
        }
        return Dictionary(records.map { ($0.id.rawValue, $0) }) { first, _ in first }
    }

    // MARK: Heads and bodies

    func heads(of id: ExchangeID) throws(StoreError) -> StoredHeads {
        let list = StoredHeads.columns.joined(separator: ", ")
        return try content(of: id, list).map(StoredHeads.init) ?? StoredHeads()
    }

    /// Columns of an exchange in `content`, which has heads and short bodies; nil if it has no row.
    private func content(of id: ExchangeID, _ list: String) throws(StoreError) -> CentralRow? {
        guard let started = try start(of: id) else { return nil }
        return try use { connection throws(CentralError) in
            try connection.first(
                "SELECT \(list) FROM content WHERE exchange_id = $1 AND started_at = $2",
                [.integer(id.rawValue), .timestamp(started)]
            ) { $0 }
        }
    }

    package func headBytes(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]? {
        let heads = try heads(of: id)
        return message == .request ? heads.requestBytes : heads.responseBytes
    }

    func responseFault(of id: ExchangeID) throws(StoreError) -> ResponseFault? {
        guard let started = try start(of: id) else { return nil }
        return try use { connection throws(CentralError) in
            try connection.first(
                """
                SELECT refused_octets, refused_reason, repaired FROM exchange JOIN content
                  ON content.started_at = exchange.started_at
                  AND content.exchange_id = exchange.id
                WHERE exchange.id = $1 AND exchange.started_at = $2
                  AND exchange.flags & \(ExchangeFlags.responseFault.rawValue) <> 0
                """, [.integer(id.rawValue), .timestamp(started)]
            ) { ResponseFault($0) }
        }
    }

    /// A stored body, complete or up to a number of bytes.
    func body(
        of id: ExchangeID, _ message: StoredMessage, byteCountMax: Int64
    ) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBodyChunk(of: id, message) { (chunk) throws(StoreError) in
            bytes += chunk
            return bytes.count < byteCountMax
        }
        return bytes
    }

    package func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let column = message == .request ? "request_body" : "response_body"
        if let shared = try content(of: id, column)?.bytes(0) {
            _ = try body(shared)
            return
        }
        var position: Int64 = 0
        while let piece = try piece(position, of: id, message), try body(piece) { position += 1 }
    }

    private func piece(
        _ position: Int64, of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]? {
        guard let started = try start(of: id) else { return nil }
        return try use { connection throws(CentralError) in
            try connection.first(
                """
                SELECT octets FROM body_piece
                WHERE exchange_id = $1 AND started_at = $2 AND part = $3 AND position = $4
                """,
                [
                    .integer(id.rawValue), .timestamp(started),
                    .integer(message == .request ? 0 : 1), .integer(position),
                ]
            ) { $0.bytes(0) }
        }
    }

    /// The start of a body, which is stored beside its heads or else in pieces.
    private func body(
        _ shared: [UInt8]?, of id: ExchangeID, _ message: StoredMessage, _ byteCountMax: Int64
    ) throws(StoreError) -> [UInt8] {
        if let shared { return shared }
        var bytes: [UInt8] = []
        var position: Int64 = 0
        while bytes.count < byteCountMax, let piece = try piece(position, of: id, message) {
            bytes += piece
            position += 1
        }
        return bytes.count > byteCountMax ? Array(bytes.prefix(Int(byteCountMax))) : bytes
    }

    // MARK: Parameters and annotations

    package func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter] {
        guard let started = try start(of: id) else { return [] }
        return try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT source, name, value, name_octets, value_octets FROM parameter
                WHERE exchange_id = $1 AND started_at = $2
                ORDER BY source <> 'query', source, position
                """, [.integer(id.rawValue), .timestamp(started)], CentralReader.parameter)
        }
    }

    private static func parameter(_ row: CentralRow) -> ExtractedParameter? {
        let name = row.bytes(3).map { String(decoding: $0, as: UTF8.self) } ?? row.text(1)
        let value = row.bytes(4).map { String(decoding: $0, as: UTF8.self) } ?? row.text(2)
        return row.text(0).flatMap(ExtractedParameter.Source.init(rawValue:)).map {
            ExtractedParameter(source: $0, name: name ?? "", value: value)
        }
    }

    package func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations {
        guard let started = try start(of: id) else { return Exchange.Annotations() }
        let found = try use { connection throws(CentralError) in
            try connection.first(
                "SELECT note, tags, pinned FROM exchange WHERE id = $1 AND started_at = $2",
                [.integer(id.rawValue), .timestamp(started)]
            ) { row in
                Exchange.Annotations(
                    note: row.text(0), tags: row.texts(1), isPinned: row.integer(2) == 1)
            }
        }
        return found ?? Exchange.Annotations()
    }

    // MARK: Descriptions of messages

    package func protoFiles() throws(StoreError) -> [ProtoFile] {
        try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT name, source, added_ns, octets FROM proto_file
                ORDER BY source <> 'given', added_ns DESC, name
                """
            ) { row in
                guard let name = row.text(0), let bytes = row.bytes(3),
                    let source = row.text(1).flatMap(ProtoFile.Source.init(rawValue:))
                else { return nil }
                return ProtoFile(
                    name: name, source: source, addedNs: row.integer(2) ?? 0, bytes: bytes)
            }
        }
    }

    package func protoFileVersion() throws(StoreError) -> ProtoFileVersion {
        let found = try use { connection throws(CentralError) in
            try connection.first("SELECT count(*), max(added_ns) FROM proto_file") { row in
                ProtoFileVersion(
                    count: row.integer(0) ?? 0, lastID: 0, lastAddedNs: row.integer(1) ?? 0)
            }
        }
        return found ?? ProtoFileVersion()
    }

    // MARK: The messages of one exchange

    package func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        guard limit > 0, let started = try start(of: id) else { return [] }
        let bounds = page.positions(upTo: .max)
        let order = page.isAscending ? "ASC" : "DESC"
        let found = try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT position, direction, kind, message.flags, time_ns, bytes, wire_bytes,
                  body_offset, substr(octets, 1, $5::bigint::integer), problem,
                  exchange.started_ns
                FROM exchange JOIN message ON message.started_at = exchange.started_at
                  AND message.exchange_id = exchange.id
                WHERE exchange.id = $1 AND exchange.started_at = $2
                  AND position BETWEEN $3 AND $4
                ORDER BY position \(order) LIMIT \(limit)
                """,
                [
                    .integer(id.rawValue), .timestamp(started), .integer(bounds.first),
                    .integer(bounds.last),
                    .integer(min(Int64(max(0, byteCountMax)), Int64(Int32.max))),
                ]
            ) { row in
                (MessageRow(row, startedAtNs: row.integer(10) ?? 0), row.integer(7))
            }
        }
        var bodies = CentralMessageBodies(id: id, reader: self)
        var rows: [MessageRow] = []
        for (row, start) in found {
            rows.append(try bodies.filled(row, from: start, byteCountMax: byteCountMax))
        }
        return rows
    }

    package func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        guard let started = try start(of: id) else { return nil }
        return try use { connection throws(CentralError) in
            try connection.first(
                "SELECT max(position) FROM message WHERE exchange_id = $1 AND started_at = $2",
                [.integer(id.rawValue), .timestamp(started)]
            ) { $0.integer(0) }
        }
    }
}

/// Reads the contents of messages that are part of a body. Each body is decoded once.
private struct CentralMessageBodies {
    let id: ExchangeID
    let reader: CentralReader
    private var bodies: [MessageRecord.Direction: [UInt8]] = [:]

    init(id: ExchangeID, reader: CentralReader) {
        self.id = id
        self.reader = reader
    }

    /// Returns a message with its contents, if they start at an offset in the body.
    mutating func filled(
        _ row: MessageRow, from start: Int64?, byteCountMax: Int
    ) throws(StoreError) -> MessageRow {
        guard let start else { return row }
        var row = row
        row.bodyStart = start
        let bytes = try body(row.direction)
        let count = min(max(0, row.byteCount), Int64(max(0, byteCountMax)))
        row.bytes =
            start < 0
            ? [] : Array(bytes.dropFirst(Int(clamping: start)).prefix(Int(clamping: count)))
        if row.bytes.count < count { row.flags.insert(.cut) }
        return row
    }

    private mutating func body(_ direction: MessageRecord.Direction) throws(StoreError) -> [UInt8] {
        if let known = bodies[direction] { return known }
        let part: StoredMessage = direction == .toServer ? .request : .response
        let bytes = try reader.body(of: id, part, byteCountMax: .max)
        let heads = try reader.heads(of: id)
        let fields = direction == .toServer ? heads.requestHead?.fields : heads.responseHead?.fields
        let messageBytes = BodyDecoding.messageBytes(bytes, fields)
        bodies[direction] = messageBytes
        return messageBytes
    }
}
