internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The messages of a recorded WebSocket, read page by page.
struct StoredConversation: ConversationSource {
    private static let pageCount = 64
    /// The maximum size of a message in bytes, more than is ever stored of one.
    private static let byteCountMax = 64 << 20

    private let reader: any ExchangeReading
    private let exchange: Exchange

    init(_ exchange: Exchange, _ reader: any ExchangeReading) {
        self.exchange = exchange
        self.reader = reader
    }

    func messages(after position: Int64?) throws -> [MessageRecord] {
        let rows = try StoreAccess.attempt { () throws(StoreError) in
            try reader.messages(
                of: exchange.id, .after(position ?? -1), limit: StoredConversation.pageCount,
                byteCountMax: StoredConversation.byteCountMax)
        }
        return rows.map(record)
    }

    private func record(_ row: MessageRow) -> MessageRecord {
        var flags = row.flags
        if Int64(row.bytes.count) < row.byteCount { flags.insert(.cut) }
        return MessageRecord(
            position: row.position, direction: row.direction, kind: row.kind, flags: flags,
            offsetNs: row.atNs &- exchange.timeline.wallStart, byteCount: row.byteCount,
            wireByteCount: row.wireByteCount, content: .bytes(row.bytes), problem: row.problem)
    }
}
