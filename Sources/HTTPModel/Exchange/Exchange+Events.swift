extension Exchange {
    /// Events for what was sent in another form than it arrived, and for what rules did. They do
    /// not include the head that was sent to the server, which has its own property in an update.
    public var events: [ExchangeEvent] {
        var events: [ExchangeEvent] = []
        if let body = request.sentBody { events.append(.sentRequestBody(body.kept)) }
        if let head = response?.sentHead { events.append(.sentResponseHead(head.bytes)) }
        if let body = response?.sentBody { events.append(.sentResponseBody(body.kept)) }
        return events + appliedRules.map(ExchangeEvent.appliedRule)
    }
}
