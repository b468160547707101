internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The messages of a WebSocket, an event stream or a gRPC call.
extension ExchangeWriter {
    /// Stores the messages of an update, several rows at a time.
    func addMessages(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        guard !update.messages.isEmpty, Schema.ChunkKey.exchangeIDs.contains(update.id.rawValue)
        else { return }
        let messages = update.messages
        let id = update.id.rawValue
        try InsertStatements.forEachGroup(of: messages.count) { (places) throws(StoreError) in
            defer { arena.reset() }
            let statement = statements.insertMessages[places.count]
            for place in places {
                bind(
                    messages[place], of: id, to: statement,
                    before: statements.insertMessages.offset(row: place - places.lowerBound))
            }
            try statement.run()
        }
    }

    private func bind(
        _ message: borrowing MessageRecord, of id: Int64, to statement: SQLiteStatement,
        before: Int32
    ) {
        statement.bind(before + 1, Schema.MessageKey.key(exchange: id, position: message.position))
        statement.bind(before + 2, message.direction.rawValue)
        statement.bind(before + 3, message.kind.rawValue)
        statement.bind(before + 4, message.flags.rawValue)
        statement.bind(before + 5, message.offsetNs)
        statement.bind(before + 6, message.byteCount)
        statement.bind(before + 7, message.wireByteCount)
        switch message.content {
        case .bytes(let bytes):
            statement.bindNull(before + 8)
            statement.bind(before + 9, arena.hold(bytes.span), isText: false)
        case .body(let range):
            statement.bind(before + 8, range.lowerBound)
            statement.bindNull(before + 9)
        }
        arena.bindText(statement, before + 10, message.problem)
    }
}
