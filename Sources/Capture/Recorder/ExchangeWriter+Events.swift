internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// What was forwarded if it differs from what was received, and what rules did.
extension ExchangeWriter {
    /// Stores the events of an update whose exchange already has its rows.
    func addEvents(
        _ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange
    ) throws(StoreError) {
        let id = update.id.rawValue
        for event in update.events {
            switch event {
            case .sentRequestBody(let bytes):
                try append(sent: bytes, id, .requestSent, &exchange.requestSent)
            case .sentResponseBody(let bytes):
                try append(sent: bytes, id, .responseSent, &exchange.responseSent)
            case .sentResponseHead(let bytes):
                try statements.updateSentResponseHead.run(id, blob: bytes.span)
                exchange.delivered = ActiveExchange.ResponseLine(sentHead: bytes)
            case .responseWithheld: exchange.delivered = ActiveExchange.ResponseLine()
            case .appliedRule(let rule): try add(rule, id, &exchange)
            case .tagged(let tag): try add(tag: tag, id, &exchange)
            }
        }
    }

    private func append(
        sent bytes: [UInt8], _ id: Int64, _ part: BodyPart, _ body: inout ActiveExchange.BodyState
    ) throws(StoreError) {
        if bytes.isEmpty, body.pieceCount == 0 {
            // An empty piece records that nothing was forwarded although something was received.
            let key = Schema.ChunkKey.key(exchange: id, part: part, position: 0)
            try statements.insertPiece.run(key, blob: Span())
            body.pieceCount = 1
        }
        try append(bytes, id, part, &body)
        body.counts.seen = body.counts.kept
    }

    /// Writes what the client received of the response, if it differs from what the server sent.
    func updateDelivery(of id: Int64, _ exchange: ActiveExchange) throws(StoreError) {
        guard exchange.delivered != nil || exchange.deliveredByteCount != nil else { return }
        let (came, got) = (exchange.received, exchange.delivered ?? exchange.received)
        let statement = statements.updateDelivery
        statement.bind(1, id)
        statement.bind(2, got.status)
        statement.bindCopy(3, got.reason)
        statement.bindCopy(4, got.contentType)
        statement.bind(5, exchange.deliveredByteCount ?? exchange.response.counts.seen)
        statement.bind(6, came.status == got.status ? nil : came.status)
        let isOtherBody = exchange.deliveredByteCount != nil
        statement.bind(7, isOtherBody ? exchange.response.counts.seen : nil)
        try statement.run()
    }
}

extension ActiveExchange.ResponseLine {
    /// The line of a head as it was sent; all of it is nil if the head cannot be read.
    fileprivate init(sentHead bytes: [UInt8]) {
        var heads = StoredHeads()
        heads.responseBytesSent = bytes
        let head = heads.sentResponseHead
        self.init(
            status: head.map { Int64($0.status) }, reason: head?.reason,
            contentType: head?.fields.value(.contentType))
    }
}

/// What rules did. Both tables are written in key order and have no other index.
extension ExchangeWriter {
    /// The maximum numbers of applied rules and of tags added by rules per exchange.
    private static let appliedRuleCountMax: Int64 = 4_096
    private static let tagCountMax = 100
    /// The maximum length in bytes, first of names and tags, then of details.
    private static let nameByteCountMax = 256
    private static let detailByteCountMax = 4_096

    func add(
        _ rule: AppliedRule, _ id: Int64, _ exchange: inout ActiveExchange
    ) throws(StoreError) {
        guard exchange.appliedRuleCount < ExchangeWriter.appliedRuleCountMax else { return }
        let statement = statements.insertAppliedRule
        statement.bind(1, id)
        statement.bind(2, exchange.appliedRuleCount)
        exchange.appliedRuleCount += 1
        let nameMax = ExchangeWriter.nameByteCountMax
        statement.bindCopy(3, OneLine.text(rule.rule, byteCountMax: nameMax))
        statement.bindCopy(4, rule.phase.rawValue)
        statement.bindCopy(5, OneLine.text(rule.outcome, byteCountMax: nameMax))
        statement.bindCopy(
            6, rule.detail?.beginning(byteCountMax: ExchangeWriter.detailByteCountMax))
        statement.bind(7, rule.hold?.startNs)
        statement.bind(8, rule.hold?.durationNs)
        try statement.run()
    }

    func add(tag: String, _ id: Int64, _ exchange: inout ActiveExchange) throws(StoreError) {
        let tag = OneLine.text(tag, byteCountMax: ExchangeWriter.nameByteCountMax)
        guard !tag.isEmpty, exchange.tagCount < ExchangeWriter.tagCountMax else { return }
        exchange.tagCount += 1
        let statement = statements.insertTag
        statement.bind(1, id)
        statement.bindCopy(2, tag)
        try statement.run()
    }

    /// Writes the faults of a response if an update reports any.
    func addFault(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        guard let fault = update.responseFault else { return }
        let statement = statements.insertFault
        statement.bind(1, update.id.rawValue)
        if let bytes = fault.refusal?.bytes {
            bytes.withUnsafeBytes { statement.bindCopy(2, $0, isText: false) }
        } else {
            statement.bindNull(2)
        }
        statement.bindCopy(3, fault.refusal?.reason)
        statement.bindCopy(4, ResponseFaultCoding.text(of: fault.repairs))
        try statement.run()
    }

    // MARK: The messages of a WebSocket, an event stream or a gRPC call

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
            statement.bind(before + 9, arena.keep(bytes.span), isText: false)
        case .body(let range):
            statement.bind(before + 8, range.lowerBound)
            statement.bindNull(before + 9)
        }
        arena.bindText(statement, before + 10, message.problem)
    }
}
