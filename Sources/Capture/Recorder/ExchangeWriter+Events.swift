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
            case .sentResponseHead(let bytes): try updateSentResponseHead(bytes, id)
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

    private func updateSentResponseHead(_ bytes: [UInt8], _ id: Int64) throws(StoreError) {
        let statement = statements.updateSentResponseHead
        statement.bind(1, id)
        try bytes.span.withUnsafeBytes { (bytes) throws(StoreError) in
            statement.bind(2, bytes, isText: false)
            try statement.run()
        }
    }
}
