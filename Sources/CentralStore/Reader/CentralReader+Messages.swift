package import ProxydCaptureModel
package import ProxydHTTPModel
internal import ProxydStoreCoding

/// The messages of one exchange.
extension CentralReader {
    package func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        guard limit > 0 else { return [] }
        let bounds = CentralReader.bounds(of: page)
        let order = page.isAscending ? "ASC" : "DESC"
        let found = try use { connection throws(CentralError) in
            try connection.rows(
                """
                SELECT position, direction, kind, message.flags, time_ns, bytes, wire_bytes,
                  body_offset, substr(octets, 1, $4::bigint::integer), problem,
                  exchange.started_ns
                FROM exchange JOIN message ON message.started_at = exchange.started_at
                  AND message.exchange_id = exchange.id
                WHERE exchange.id = $1 AND position BETWEEN $2 AND $3
                ORDER BY position \(order) LIMIT \(limit)
                """,
                [
                    .integer(id.rawValue), .integer(bounds.first), .integer(bounds.last),
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

    private static func bounds(of page: MessagePage) -> (first: Int64, last: Int64) {
        switch page {
        case .newest, .oldest: (0, .max)
        case .before(let position): (0, max(position, 0) - 1)
        case .after(let position): (position == .max ? .max : position + 1, .max)
        case .at(let position): (position, position)
        }
    }

    package func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        try use { connection throws(CentralError) in
            try connection.first(
                """
                SELECT max(position) FROM exchange JOIN message
                  ON message.started_at = exchange.started_at
                  AND message.exchange_id = exchange.id
                WHERE exchange.id = $1
                """, [.integer(id.rawValue)]
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

    /// Returns a message with its contents, if these start at an offset in the body of its
    /// direction.
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

    private mutating func body(
        _ direction: MessageRecord.Direction
    ) throws(StoreError) -> [UInt8] {
        if let known = bodies[direction] { return known }
        let part: StoredMessage = direction == .toServer ? .request : .response
        let bytes = try reader.body(of: id, part, byteCountMax: .max)
        let heads = try reader.heads(of: id)
        let fields =
            direction == .toServer ? heads.requestHead?.fields : heads.responseHead?.fields
        let messageBytes = BodyDecoding.messageBytes(bytes, fields)
        bodies[direction] = messageBytes
        return messageBytes
    }
}
