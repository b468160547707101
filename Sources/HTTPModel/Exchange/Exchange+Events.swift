extension Exchange {
    /// What was sent on where that is not what came, and what rules did, as news. The head that
    /// went to the server is not among it: it has a place of its own in an update.
    public var events: [ExchangeEvent] {
        var events: [ExchangeEvent] = []
        if let body = request.sentBody { events.append(.sentRequestBody(body.kept)) }
        if let head = response?.sentHead { events.append(.sentResponseHead(head.octets)) }
        if let body = response?.sentBody { events.append(.sentResponseBody(body.kept)) }
        return events + appliedRules.map(ExchangeEvent.appliedRule)
    }
}
