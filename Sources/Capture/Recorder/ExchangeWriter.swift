internal import HTTPModel

/// Writes exchanges: a short one as a final row, a long one as a row that later news changes.
///
/// Confined to the recorder's thread; all calls are inside a transaction.
final class ExchangeWriter {
    /// Heads and bodies of a finished exchange up to this size share a row, in octets: two such
    /// rows fill a page, so that little of it stays empty.
    private static let sharedByteCountMax = 4000
    /// The size of the pieces that longer bodies are cut into, in octets: two fill a page.
    static let pieceByteCount = 4064

    let statements: ExchangeStatements
    let parameterBodyByteCountMax: Int
    let arena = BindArena()
    /// The exchanges that have not ended.
    var active = ActiveExchangeTable()

    init(_ connection: StoreConnection, parameterBodyByteCountMax: Int) throws(StoreError) {
        statements = try ExchangeStatements(connection)
        self.parameterBodyByteCountMax = parameterBodyByteCountMax
    }

    /// What a write did.
    enum Outcome { case inserted, updated, ignored }

    /// Writes news of an exchange; news of one that was never begun or was cleared is ignored.
    func write(_ update: borrowing ExchangeUpdate) throws(StoreError) -> Outcome {
        if update.isFirst {
            try insert(update)
            return .inserted
        }
        guard var row = active[update.id.rawValue] else { return .ignored }
        try apply(update, to: &row)
        active[update.id.rawValue] = update.state == .active ? row : nil
        return .updated
    }

    // MARK: A new exchange

    private func insert(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        let id = update.id.rawValue
        var row = ActiveExchange()
        let isShared = update.state != .active && isShort(update)
        if isShared {
            row.request.keptByteCount = Int64(update.requestBody.appended.count)
            row.response.keptByteCount = Int64(update.responseBody.appended.count)
        } else {
            try append(update.requestBody.appended, id, .request, &row.request)
            try append(update.responseBody.appended, id, .response, &row.response)
        }
        note(update, in: &row)
        try insertExchange(update, row)
        try insertContent(update, isShared: isShared)
        if let url = update.url { try insertQuery(of: url, id) }
        try decodeBody(update, &row, isStored: false)
        guard update.state == .active else { return }
        statements.insertOpen.bind(1, id)
        try statements.insertOpen.run()
        active[id] = row
    }

    private func isShort(_ update: borrowing ExchangeUpdate) -> Bool {
        update.requestBody.appended.count + update.responseBody.appended.count
            + (update.requestHead?.octets.count ?? update.malformedHead?.count ?? 0)
            + (update.responseHead?.octets.count ?? 0) <= ExchangeWriter.sharedByteCountMax
    }

    private func insertExchange(
        _ update: borrowing ExchangeUpdate, _ row: ActiveExchange
    ) throws(StoreError) {
        arena.reset()
        let statement = statements.insertExchange
        statement.bind(1, update.id.rawValue)
        statement.bind(2, update.timeline.wallStart)
        statement.bind(3, update.state.stored)
        bindRequest(
            statement, update, method: 4, url: 5, version: 10, type: 13)
        bindResponse(statement, update, status: 11, reason: 12, type: 14)
        bindCounts(statement, row, first: 15)
        bindTimeline(statement, update, duration: 19, moments: 20)
        statement.bind(21, update.clientConnection?.rawValue)
        statement.bind(22, update.serverConnection?.rawValue)
        bindFailure(statement, update.failure, first: 23)
        arena.bindText(statement, 26, update.upgradedTo)
        statement.bind(27, update.replayOf?.rawValue)
        statement.bind(28, update.requestHead == nil ? 0 : 1)
        statement.bind(29, row.flags.rawValue)
        try statement.run()
    }

    private func insertContent(
        _ update: borrowing ExchangeUpdate, isShared: Bool
    ) throws(StoreError) {
        arena.reset()
        let statement = statements.insertContent
        statement.bind(1, update.id.rawValue)
        bindBlob(statement, 2, update.requestHead?.octets ?? update.malformedHead)
        bindBlob(statement, 3, update.responseHead?.octets)
        bindBlob(statement, 4, trailerOctets(update.requestTrailers))
        bindBlob(statement, 5, trailerOctets(update.responseTrailers))
        statement.bindNull(6)
        statement.bindNull(7)
        bindBlob(statement, 8, interimOctets(update.informational))
        bindBlob(statement, 9, isShared ? nonEmpty(update.requestBody.appended) : nil)
        bindBlob(statement, 10, isShared ? nonEmpty(update.responseBody.appended) : nil)
        try statement.run()
    }

    // MARK: Later news

    private func apply(
        _ update: borrowing ExchangeUpdate, to row: inout ActiveExchange
    ) throws(StoreError) {
        let id = update.id.rawValue
        try append(update.requestBody.appended, id, .request, &row.request)
        try append(update.responseBody.appended, id, .response, &row.response)
        note(update, in: &row)
        if update.requestHead != nil || update.url != nil || update.malformedHead != nil {
            try updateRequest(update)
        }
        try updateHeads(update)
        try updateExchange(update, row)
        try decodeBody(update, &row, isStored: true)
        guard update.state != .active else { return }
        statements.deleteOpen.bind(1, id)
        try statements.deleteOpen.run()
    }

    private func updateExchange(
        _ update: borrowing ExchangeUpdate, _ row: ActiveExchange
    ) throws(StoreError) {
        arena.reset()
        let statement = statements.updateExchange
        statement.bind(1, update.id.rawValue)
        statement.bind(2, update.state.stored)
        bindResponse(statement, update, status: 3, reason: 4, type: 5)
        bindCounts(statement, row, first: 6)
        bindTimeline(statement, update, duration: 10, moments: 11)
        statement.bind(12, update.clientConnection?.rawValue)
        statement.bind(13, update.serverConnection?.rawValue)
        bindFailure(statement, update.failure, first: 14)
        arena.bindText(statement, 17, update.upgradedTo)
        statement.bind(18, row.flags.rawValue)
        try statement.run()
    }

    private func updateRequest(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        arena.reset()
        let statement = statements.updateRequest
        statement.bind(1, update.id.rawValue)
        bindRequest(statement, update, method: 2, url: 3, version: 8, type: 9)
        statement.bind(10, update.requestHead == nil ? 0 : 1)
        try statement.run()
        if let url = update.url { try insertQuery(of: url, update.id.rawValue) }
    }

    private func updateHeads(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        let id = update.id.rawValue
        try updateHead(.requestHead, id, update.requestHead?.octets ?? update.malformedHead)
        try updateHead(.responseHead, id, update.responseHead?.octets)
        try updateHead(.requestTrailers, id, trailerOctets(update.requestTrailers))
        try updateHead(.responseTrailers, id, trailerOctets(update.responseTrailers))
        if let interim = interimOctets(update.informational) {
            try run(statements.appendInterim, id, interim)
        }
    }

    private func updateHead(
        _ column: ExchangeStatements.ContentColumn, _ id: Int64, _ octets: [UInt8]?
    ) throws(StoreError) {
        guard let octets, let statement = statements.updateHead[column] else { return }
        try run(statement, id, octets)
    }

    private func run(
        _ statement: SQLiteStatement, _ id: Int64, _ octets: [UInt8]
    ) throws(StoreError) {
        arena.reset()
        statement.bind(1, id)
        arena.bindBlob(statement, 2, octets)
        try statement.run()
    }

    /// Takes over what an update says of counts and ends.
    private func note(_ update: borrowing ExchangeUpdate, in row: inout ActiveExchange) {
        row.request.seenByteCount = max(row.request.seenByteCount, update.requestBody.byteCount)
        row.response.seenByteCount = max(row.response.seenByteCount, update.responseBody.byteCount)
        if update.timeline.connectionReused { row.flags.insert(.connectionReused) }
        if update.requestBody.isComplete { row.flags.insert(.requestComplete) }
        if update.responseBody.isComplete { row.flags.insert(.responseComplete) }
        if update.malformedHead != nil { row.flags.insert(.malformedHead) }
        // Asked for when the body is whole: not where none comes.
        let hasBody = update.state == .active || row.request.seenByteCount > 0
        if hasBody, let head = update.requestHead {
            row.requestType = head.fields.value(.contentType)
            row.requestCoding = head.fields.value(.contentEncoding)
        }
    }
}
