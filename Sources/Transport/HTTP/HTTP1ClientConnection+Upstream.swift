internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Requests to an upstream proxy that forwards them, instead of to their servers.
extension HTTP1ClientConnection {
    /// The proxy at the other end; nil if a server is.
    var requestProxy: UpstreamRoute? {
        let target = connection.key.target
        return target.takesRequests ? target.route?.proxied : nil
    }

    /// Sends a head in the form for proxies. What is recorded has the form for servers: it must not
    /// contain the credentials.
    func send(head request: borrowing ForwardedRequest, to route: UpstreamRoute) -> SentHead? {
        sentAuthorization = route.proxy.authorization(
            method: request.head.method, target: request.absoluteTarget)
        var proxied = copy request
        proxied.options.proxied = ForwardedRequest.ProxiedForm(
            authorization: sentAuthorization, hopCount: route.hopCount)
        var bytes: [UInt8] = []
        let notes = HTTP1HeadWriter.write(proxied, into: &bytes)
        stream.write(bytes)
        guard !notes.isEmpty else { return nil }
        var recorded: [UInt8] = []
        HTTP1HeadWriter.write(request, into: &recorded)
        return SentHead(bytes: recorded, notes: notes)
    }

    /// The proxy asks for credentials: if there are any and the request has no body, it is sent
    /// again with them; the client never sees the challenge.
    func challenged(
        by route: UpstreamRoute, _ head: ResponseHead, _ exchange: ClientExchange
    ) {
        let isTaken =
            exchange.challengeCount < 2
            && route.proxy.takesChallenge(head, after: sentAuthorization)
        guard isTaken else {
            return fail(exchange, .upstream(route.proxy, refused: head, nil))
        }
        guard exchange.request.hasNoBody else {
            return fail(exchange, .upstreamBodySent(route.proxy))
        }
        exchange.challengeCount += 1
        abort()
        exchange.detachForRepeat()
        connection.repeatElsewhere(exchange)
    }
}

extension OutgoingRequest {
    /// Whether it has no body, so that it can be sent again.
    fileprivate var hasNoBody: Bool { body == .none || body == .exactly(0) }
}
