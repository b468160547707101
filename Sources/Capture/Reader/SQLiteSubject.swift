internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Reads the parts of an exchange that filters ask for.
struct SQLiteSubject: SubjectSource {
    let id: Int64
    let database: SQLiteConnection

    var heads: StoredHeads? { try? StoredExchange.heads(of: id, database) }
    var responseFault: ResponseFault? { try? StoredExchange.responseFault(of: id, database) }
    var reset: HTTP2Facts.Reset? { try? StoredExchange.reset(of: id, database) }

    func parameterValues(named name: String) -> [String?] {
        let values = try? database.rows(
            "SELECT value FROM parameter WHERE exchange_id = ? AND name = ?",
            [.integer(id), .text(name)]
        ) { $0.text(0) }
        return values ?? []
    }

    func body(of side: FilterSide) -> [UInt8] {
        (try? StoredBody.bytes(of: id, side == .request ? .request : .response, database)) ?? []
    }

    /// Reads row by row, with at most one message in memory.
    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
        try? StoredMessages.forEach(of: id, among: messages, database) { body($0) }
    }
}
