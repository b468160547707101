internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Writes exchanges: a short one as a final row, several such rows at a time, and a long one as a
/// row that later updates change.
///
/// Confined to the recorder's thread; everything that writes must be called inside a transaction.
final class ExchangeWriter {
    let statements: ExchangeStatements
    let parameters: ParameterWriter
    let parameterBodyByteCountMax: Int
    let arena = BindArena()
    var active = ActiveExchangeTable()
    /// Reflection answers that have not been examined yet.
    var reflectionAnswers: [ReflectionAnswers.Answer] = []

    init(_ connection: StoreConnection, parameterBodyByteCountMax: Int) throws(StoreError) {
        statements = try ExchangeStatements(connection)
        parameters = try ParameterWriter(connection)
        self.parameterBodyByteCountMax = parameterBodyByteCountMax
    }

    enum Outcome { case inserted, updated, ignored }

    /// Writes an update; an update of an exchange that never started or was cleared is ignored.
    func write(_ update: borrowing ExchangeUpdate) throws(StoreError) -> Outcome {
        if update.isFirst {
            try insert(update)
            return .inserted
        }
        guard var exchange = active[update.id.rawValue] else { return .ignored }
        try apply(update, to: &exchange)
        active[update.id.rawValue] = update.state == .active ? exchange : nil
        return .updated
    }

    /// Undoes the changes in memory that belong to a rolled-back transaction.
    func rollBack() {
        active.rollBack()
        parameters.discard()
        reflectionAnswers = []
    }

    // MARK: Short exchanges

    /// Inserts short exchanges, at most `InsertStatements.rowCountMax`. `inout` so that the rows
    /// are not copied.
    func insert(_ rows: inout [RecordedRow], _ places: Range<Int>) throws(StoreError) {
        defer { arena.reset() }
        let exchange = statements.insertExchange[places.count]
        let content = statements.insertContent[places.count]
        for place in places {
            bind(&rows[place], exchange, content, row: place - places.lowerBound)
        }
        try exchange.run()
        try content.run()
        try parameters.flush()
    }

    private func bind(
        _ row: inout RecordedRow, _ exchange: SQLiteStatement, _ content: SQLiteStatement,
        row number: Int
    ) {
        let bytes = arena.keep(row.bytes.span)
        let graphQL = addQuery(row) + addSharedBody(row)
        bindExchange(
            RowBinding(
                statement: exchange, before: statements.insertExchange.offset(row: number),
                bytes: bytes), row, graphQL)
        bindContent(
            RowBinding(
                statement: content, before: statements.insertContent.offset(row: number),
                bytes: bytes), row)
    }

    // MARK: Other new exchanges

    private func insert(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        var exchange = ActiveExchange()
        let row = try storeBodies(update, &exchange)
        defer { arena.reset() }
        let bytes = arena.keep(row.bytes.span)
        let insertExchange = statements.insertExchange[1]
        let inQuery = addQuery(row)
        bindExchange(RowBinding(statement: insertExchange, bytes: bytes), row, inQuery)
        try insertExchange.run()
        let insertContent = statements.insertContent[1]
        bindContent(RowBinding(statement: insertContent, bytes: bytes), row)
        try insertContent.run()
        try addFault(update)
        try addEvents(update, &exchange)
        try updateDelivery(of: row.id, exchange)
        try addMessages(update)
        noteReflection(update, &exchange)
        try addBody(update, &exchange, isStored: false)
        try parameters.flush()
        guard row.state == .active else { return }
        statements.insertOpen.bind(1, row.id)
        try statements.insertOpen.run()
        active[row.id] = exchange
    }

    /// Stores the body bytes of an update and merges the update into the known state.
    private func storeBodies(
        _ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange
    ) throws(StoreError) -> RecordedRow {
        let id = update.id.rawValue
        try append(update.requestBody.appended, id, .request, &exchange.request)
        try append(update.responseBody.appended, id, .response, &exchange.response)
        var row = RecordedRow(update)
        exchange.note(row)
        row.request = exchange.request.counts
        row.response = exchange.response.counts
        row.flags = exchange.flags
        exchange.messageCount &+= Int64(update.messages.count { $0.kind.isData })
        if exchange.messageCount > 0 { row.messageCount = exchange.messageCount }
        return row
    }

    // MARK: Later updates

    private func apply(
        _ update: borrowing ExchangeUpdate, to exchange: inout ActiveExchange
    ) throws(StoreError) {
        let row = try storeBodies(update, &exchange)
        defer { arena.reset() }
        let bytes = arena.keep(row.bytes.span)
        try updateRequest(row, bytes)
        try updateContent(row, bytes)
        try updateExchange(row, bytes)
        try addFault(update)
        try addEvents(update, &exchange)
        try updateDelivery(of: row.id, exchange)
        try addFrames(update, &exchange)
        try addMessages(update)
        noteReflection(update, &exchange)
        try addBody(update, &exchange, isStored: true)
        try parameters.flush()
        guard row.state != .active else { return }
        statements.deleteOpen.bind(1, row.id)
        try statements.deleteOpen.run()
    }

    private func updateExchange(
        _ row: borrowing RecordedRow, _ bytes: UnsafeRawBufferPointer
    ) throws(StoreError) {
        let values = RowBinding(statement: statements.updateExchange, bytes: bytes)
        values.bind(1, row.id)
        values.bind(2, row.state.stored)
        bindResponse(values, row, status: 3, reason: 4, type: 5)
        bindCounts(values, row, first: 6)
        bindTimeline(values, row, duration: 10, moments: 11)
        values.bind(12, row.clientConnection)
        values.bind(13, row.serverConnection)
        bindFailure(values, row, first: 14)
        values.bind(17, .upgradedTo, row)
        values.bind(18, row.flags.rawValue)
        bindHTTP2(values, row, first: 19)
        bindMessages(values, row, first: 22)
        values.bind(24, .user, row)
        values.bind(25, row.heldNs)
        try values.statement.run()
    }

    private func updateRequest(
        _ row: borrowing RecordedRow, _ bytes: UnsafeRawBufferPointer
    ) throws(StoreError) {
        guard row.range(.requestHead) != nil || row.range(.path) != nil else { return }
        let values = RowBinding(statement: statements.updateRequest, bytes: bytes)
        values.bind(1, row.id)
        bindRequest(values, row, method: 2, url: 3, version: 8, type: 9)
        values.bind(10, row.headFormat?.rawValue)
        try values.statement.run()
        try update(addQuery(row), of: row.id)
    }

    private func updateContent(
        _ row: borrowing RecordedRow, _ bytes: UnsafeRawBufferPointer
    ) throws(StoreError) {
        for (column, statement) in statements.updateContent where row.range(column) != nil {
            let values = RowBinding(statement: statement, bytes: bytes)
            values.bind(1, row.id)
            values.bind(2, column, row)
            try statement.run()
        }
    }
}

/// The recorder's state of an exchange that is in the store but has not ended.
struct ActiveExchange {
    /// The progress of one body.
    struct BodyState {
        /// How many bytes passed, and how many of them are stored.
        var counts = RecordedRow.BodyCounts()
        /// The index of the next piece.
        var pieceCount: Int64 = 0
    }

    /// The head of a response as a list shows it.
    struct ResponseLine {
        var status: Int64?
        var reason: String?
        var contentType: String?
    }

    /// The server reflection answers of the exchange so far.
    struct Reflection {
        var byteCount: Int64 = 0
        var count = 0
    }

    var request = BodyState()
    var response = BodyState()
    /// The bodies as forwarded, if they differ from those received.
    var requestSent = BodyState()
    var responseSent = BodyState()
    /// The response that the server sent.
    var received = ResponseLine()
    /// What the client got instead of `received`, all nil if it got nothing; nil if it got that.
    var delivered: ResponseLine?
    /// The size of another body that the client got instead; nil if it got the server's.
    var deliveredByteCount: Int64?
    /// The number of applied rules so far, which is the position of the next one.
    var appliedRuleCount: Int64 = 0
    /// The number of tags added by rules so far.
    var tagCount = 0
    /// The number of data messages so far.
    var messageCount: Int64 = 0
    /// Nil if the exchange is not a call to server reflection.
    var reflection: Reflection?
    /// The index of the next piece of frames; the first frames are stored in the row.
    var framePieceCount: Int64 = 0
    var flags: ExchangeFlags = []
    /// Whether parameters were extracted from the request body.
    var isRequestDecoded = false
    /// The request's Content-Type, for decoding its complete body.
    var requestType: String?
    /// The request's Content-Encoding, for the same purpose.
    var requestCoding: String?

    /// Merges the counts, flags and content type of an update.
    mutating func note(_ row: borrowing RecordedRow) {
        request.counts.seen = max(request.counts.seen, row.request.seen)
        response.counts.seen = max(response.counts.seen, row.response.seen)
        flags.formUnion(row.flags)
        if row.status != nil {
            received = ResponseLine(
                status: row.status, reason: row.text(.reason), contentType: row.text(.responseType))
        }
        deliveredByteCount = row.sentResponseByteCount ?? deliveredByteCount
        // Needed when the body is complete, so only if there is going to be one.
        if row.headFormat?.isReadable == true, row.state == .active || request.counts.seen > 0 {
            requestType = row.text(.requestType)
            requestCoding = row.text(.requestCoding)
        }
    }
}

/// The exchanges that have not ended. Changes can be undone, because a failed transaction must
/// leave no trace in memory either.
struct ActiveExchangeTable {
    private var rows: [Int64: ActiveExchange] = [:]
    private var before: [(id: Int64, row: ActiveExchange?)] = []

    var count: Int { rows.count }

    /// The exchange with a number, or nil if it has ended, was cleared or never started.
    subscript(id: Int64) -> ActiveExchange? {
        get { rows.isEmpty ? nil : rows[id] }
        set {
            before.append((id, rows[id]))
            rows[id] = newValue
        }
    }

    /// Makes the changes since the last commit final.
    mutating func commit() { before.removeAll(keepingCapacity: true) }

    mutating func rollBack() {
        for change in before.reversed() { rows[change.id] = change.row }
        before.removeAll(keepingCapacity: true)
    }
}
