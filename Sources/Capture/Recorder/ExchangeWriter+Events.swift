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
            case .sentRequestBody(let octets):
                try append(sent: octets, id, .requestSent, &exchange.requestSent)
            case .sentResponseBody(let octets):
                try append(sent: octets, id, .responseSent, &exchange.responseSent)
            case .sentResponseHead(let octets): try updateSentResponseHead(octets, id)
            case .appliedRule(let rule): try add(rule, id, &exchange)
            case .tagged(let tag): try add(tag: tag, id, &exchange)
            }
        }
    }

    private func append(
        sent octets: [UInt8], _ id: Int64, _ part: BodyPart, _ body: inout ActiveExchange.BodyState
    ) throws(StoreError) {
        if octets.isEmpty, body.pieceCount == 0 {
            // An empty piece records that nothing was forwarded although something was received.
            let nothing: [UInt8] = []
            let key = Schema.ChunkKey.key(exchange: id, part: part, position: 0)
            try insertPiece(nothing.span, key: key)
            body.pieceCount = 1
        }
        try append(octets, id, part, &body)
        body.counts.seen = body.counts.kept
    }

    private func updateSentResponseHead(_ octets: [UInt8], _ id: Int64) throws(StoreError) {
        let statement = statements.updateSentResponseHead
        statement.bind(1, id)
        try octets.span.withUnsafeBytes { (octets) throws(StoreError) in
            statement.bind(2, octets, isText: false)
            try statement.run()
        }
    }
}
