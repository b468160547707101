internal import HTTPModel

/// Writes exchanges: a short one as a final row, several such rows at a time, and a long one as a
/// row that later news changes.
///
/// Confined to the recorder's thread; all that writes is called inside a transaction.
final class ExchangeWriter {
    /// Heads and bodies of a finished exchange up to this size share a row, in octets: two such
    /// rows fill a page, so that little of it stays empty.
    private static let sharedByteCountMax = 4000
    /// The size of the pieces that longer bodies are cut into, in octets: two fill a page.
    static let pieceByteCount = 4064

    let statements: ExchangeStatements
    let parameters: ParameterWriter
    let parameterBodyByteCountMax: Int
    let arena = BindArena()
    /// The values of `content`, where rows of two tables are prepared side by side.
    private let contentArena = BindArena()
    /// The exchanges that have not ended.
    var active = ActiveExchangeTable()

    init(_ connection: StoreConnection, parameterBodyByteCountMax: Int) throws(StoreError) {
        statements = try ExchangeStatements(connection)
        parameters = try ParameterWriter(connection)
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

    /// Undoes what belongs to a transaction that is undone.
    func rollBack() {
        active.rollBack()
        parameters.discard()
    }

    // MARK: Short exchanges

    /// Whether an update is a whole exchange that is short: heads and bodies share a row. `inout`
    /// as below.
    func isFinal(_ update: inout ExchangeUpdate) -> Bool {
        update.isFirst && update.state != .active
            && update.contentByteCount <= ExchangeWriter.sharedByteCountMax
    }

    /// Inserts final exchanges, at most `InsertStatements.rowCountMax`.
    func insertFinal(
        _ updates: inout [ExchangeUpdate], _ places: Range<Int>
    ) throws(StoreError) {
        arena.reset()
        contentArena.reset()
        let exchange = statements.insertExchange[places.count]
        let content = statements.insertContent[places.count]
        for place in places {
            try bindFinal(&updates[place], exchange, content, row: place - places.lowerBound)
        }
        try exchange.run()
        try content.run()
        try parameters.flush()
    }

    /// `inout`, so that the update stays where it lies: anything else would copy it, and count the
    /// references to each of its parts.
    private func bindFinal(
        _ update: inout ExchangeUpdate, _ exchange: SQLiteStatement, _ content: SQLiteStatement,
        row number: Int
    ) throws(StoreError) {
        var row = ActiveExchange()
        row.request.keptByteCount = Int64(update.requestBody.appended.count)
        row.response.keptByteCount = Int64(update.responseBody.appended.count)
        note(update, in: &row)
        bindExchange(
            exchange, update, row, after: statements.insertExchange.offset(row: number))
        bindContent(
            content, update, contentArena, after: statements.insertContent.offset(row: number),
            isShared: true)
        addQuery(of: update.url, update.id.rawValue)
        try addBody(update, &row, isStored: false)
    }

    // MARK: Other new exchanges

    private func insert(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        let id = update.id.rawValue
        var row = ActiveExchange()
        try append(update.requestBody.appended, id, .request, &row.request)
        try append(update.responseBody.appended, id, .response, &row.response)
        note(update, in: &row)
        arena.reset()
        bindExchange(statements.insertExchange[1], update, row, after: 0)
        try statements.insertExchange[1].run()
        arena.reset()
        bindContent(statements.insertContent[1], update, arena, after: 0, isShared: false)
        try statements.insertContent[1].run()
        addQuery(of: update.url, id)
        try addBody(update, &row, isStored: false)
        try parameters.flush()
        guard update.state == .active else { return }
        statements.insertOpen.bind(1, id)
        try statements.insertOpen.run()
        active[id] = row
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
        try addBody(update, &row, isStored: true)
        try parameters.flush()
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
        addQuery(of: update.url, update.id.rawValue)
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
