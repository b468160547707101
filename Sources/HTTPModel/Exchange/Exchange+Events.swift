extension ExchangeUpdate {
    /// Takes what the client received of an exchange's response, and how long messages were held.
    /// The contents are in `Exchange.events`.
    public mutating func takeDelivery(of exchange: Exchange) {
        heldNs = exchange.heldNs ?? 0
        guard let response = exchange.response else { return }
        sentResponseByteCount = response.isWithheld ? 0 : response.sentBody?.byteCount
        isResponseAbandoned = response.body.isAbandoned
    }
}

extension Exchange {
    /// Events for what was sent in another form than it arrived, and for what rules did. They do
    /// not include the head that was sent to the server, which has its own property in an update.
    public var events: [ExchangeEvent] {
        var events: [ExchangeEvent] = []
        if let body = request.sentBody { events.append(.sentRequestBody(body.kept)) }
        if let head = response?.sentHead { events.append(.sentResponseHead(head.bytes)) }
        if let body = response?.sentBody { events.append(.sentResponseBody(body.kept)) }
        if let response, response.isWithheld { events.append(.responseWithheld) }
        return events + appliedRules.map(ExchangeEvent.appliedRule)
    }
}
