internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations

/// A page of messages.
struct MessagesFound {
    var rows: [MessageRow] = []
    /// The position to continue after; nil at the end.
    var next: Int64?
}

/// Reads messages of an exchange, page by page.
struct MessageSearch {
    /// The most messages that are read for one page of matching ones.
    private static let examinedCountMax = 2_000
    /// The most bytes of a message in which a filter searches.
    private static let searchedByteCountMax = 1 << 20
    private static let stepCount = 20

    private let reader: any ExchangeReading
    private let id: ExchangeID
    private let limit: Int

    init(_ reader: any ExchangeReading, _ id: ExchangeID, limit: Int) {
        self.reader = reader
        self.id = id
        self.limit = limit
    }

    func page(_ page: MessagePage) throws(StoreError) -> MessagesFound {
        let rows = try reader.messages(
            of: id, page, limit: limit, byteCountMax: MessagesJSON.byteCountMax)
        return MessagesFound(rows: rows, next: rows.count == limit ? rows.last?.position : nil)
    }

    /// The next messages that a filter matches. There may be more if there is a position to
    /// continue after, even if none is in this page.
    func page(_ filter: MessageFilter, after: Int64?) throws(StoreError) -> MessagesFound {
        var found = MessagesFound(next: after ?? -1)
        var examinedCount = 0
        while examinedCount < MessageSearch.examinedCountMax, found.rows.count < limit {
            let rows = try reader.messages(
                of: id, .after(found.next ?? -1), limit: MessageSearch.stepCount,
                byteCountMax: MessageSearch.searchedByteCountMax)
            for row in rows where found.rows.count < limit {
                found.next = row.position
                if filter.matches(row) { found.rows.append(try shortened(row)) }
            }
            examinedCount += rows.count
            guard rows.count == MessageSearch.stepCount else {
                if found.rows.count < limit { found.next = nil }
                break
            }
        }
        return found
    }

    /// A message with as many bytes as are sent.
    private func shortened(_ row: MessageRow) throws(StoreError) -> MessageRow {
        guard row.bytes.count > MessagesJSON.byteCountMax else { return row }
        let rows = try reader.messages(
            of: id, .after(row.position - 1), limit: 1, byteCountMax: MessagesJSON.byteCountMax)
        return rows.first ?? row
    }
}
