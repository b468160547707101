internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Heads of responses as clients get them.
extension ExchangeRelay {
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
