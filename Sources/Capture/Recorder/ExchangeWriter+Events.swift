internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

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
                try updateSentResponseHead(bytes, id)
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
            let nothing: [UInt8] = []
            let key = Schema.ChunkKey.key(exchange: id, part: part, position: 0)
            try insertPiece(nothing.span, key: key)
            body.pieceCount = 1
        }
        try append(bytes, id, part, &body)
        body.counts.seen = body.counts.kept
    }

    /// Writes what the client received of the response, if that is not what came.
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

    private func updateSentResponseHead(_ bytes: [UInt8], _ id: Int64) throws(StoreError) {
        let statement = statements.updateSentResponseHead
        statement.bind(1, id)
        try bytes.span.withUnsafeBytes { (bytes) throws(StoreError) in
            statement.bind(2, bytes, isText: false)
            try statement.run()
        }
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
