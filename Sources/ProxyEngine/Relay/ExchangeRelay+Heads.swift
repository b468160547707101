internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Heads of responses as clients get them.
extension ExchangeRelay {
    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength
    ) {
        guard mayChangeHead, let changed = changed(head) else {
            return take(forwarded(head, body: body), of: exchange, received: head)
        }
        take(forwarded(changed, body: body), of: exchange, received: head, isChanged: true)
    }

    private func take(
        _ outgoing: consuming ForwardedResponse, of exchange: ClientExchange,
        received head: ResponseHead, isChanged: Bool = false
    ) {
        if let objection = client.objection(to: outgoing) {
            return refuse(outgoing, because: objection)
        }
        let now = worker.now
        markResponseHead(exchange, now: now)
        tap.setResponse(head)
        if head.fields.authenticateConnection {
            client.bind(to: exchange.request.target)
            exchange.bindConnection()
        }
        tap.setRepairs(exchange.repairs)
        bodyMoved(now: now)
        if held?.actor != nil { return hold(outgoing, received: head) }
        if isChanged { recordSentHead(of: outgoing) }
        response = .streaming
        client.send(outgoing, isLast: exchange.endsBoundConnection)
    }

    func forwarded(_ head: ResponseHead, body: BodyLength) -> ForwardedResponse {
        var options = ForwardedResponse.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if worker.configuration.addsDate { options.date = DateField.now() }
        return ForwardedResponse(head: head, body: body, options: options)
    }

    /// Whether the configuration may change heads of responses.
    var mayChangeHead: Bool { references != nil || worker.configuration.removesAltSvc }

    /// The head as the configuration wants clients to see it; nil if that is the one received.
    func changed(_ head: ResponseHead) -> ResponseHead? {
        let replaced = references?.replaced(in: head)
        guard worker.configuration.removesAltSvc else { return replaced }
        let seen = replaced ?? head
        let positions = seen.fields.positions(named: "Alt-Svc")
        guard !positions.isEmpty else { return replaced }
        var fields = seen.fields
        for position in positions.reversed() { fields.removeLine(at: position) }
        return seen.changed(fields: fields)
    }
}
