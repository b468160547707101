internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A stream towards a server: the way of one exchange. Confined to its loop.
final class HTTP2ClientStream: ServerStream {
    private let exchange: ClientExchange
    private let owner: HTTP2ClientConnection
    private(set) var streamID: StreamID?
    /// Whether anything of the request's body was sent.
    private var hasSentBody = false

    init(_ exchange: ClientExchange, on owner: HTTP2ClientConnection) {
        self.exchange = exchange
        self.owner = owner
    }

    private var link: HTTP2Link { owner.link }

    // MARK: ServerStream

    var connection: PooledConnection { owner.connection }
    var isCongested: Bool { streamID.map(link.isCongested) ?? false }
    let isLast = false
    let unfinishedOctets: [UInt8] = []

    func send(head request: borrowing ForwardedRequest) -> SentHead? {
        guard let begun = link.send(request, log: exchange.frames) else { return nil }
        streamID = begun.id
        owner.began(self, begun.id)
        return begun.sent.map { SentHead(octets: $0.octets, notes: $0.notes) }
    }

    func send(body octets: Span<UInt8>) {
        guard let streamID else { return }
        hasSentBody = true
        link.send(body: octets, on: streamID)
    }

    func endRequest(trailers: HeaderFields?) {
        if let streamID { link.end(streamID, trailers: trailers) }
    }

    func pauseReceiving() { setReceivingPaused(true) }

    func resumeReceiving() { setReceivingPaused(false) }

    private func setReceivingPaused(_ isPaused: Bool) {
        if let streamID { link.setReceivingPaused(streamID, isPaused) }
    }

    func send(priority value: [UInt8]) {
        if let streamID { link.send(priority: value, of: streamID) }
    }

    func abandon(_ code: HTTP2ErrorCode) { end(code) }

    /// Ends the stream where it has not ended.
    private func end(_ code: HTTP2ErrorCode) {
        guard let streamID else { return }
        link.reset(streamID, code)
        owner.ended(streamID)
    }

    // MARK: What the server sends

    func received(informational head: ResponseHead) {
        exchange.noteFirstByte()
        exchange.received(informational: head)
    }

    func received(_ head: ResponseHead, body: BodyLength) {
        exchange.noteFirstByte()
        exchange.received(head, body: body)
    }

    func received(body octets: Span<UInt8>) { exchange.received(body: octets) }

    func received(trailers: HeaderFields) { exchange.received(trailers: trailers) }

    /// The response is complete. A request that the server did not wait for goes no further.
    func ended() {
        end(.noError)
        exchange.ended()
    }

    func refused(_ message: MalformedMessage) {
        exchange.noteFirstByte()
        exchange.noteRefused(message.fields)
        end(.protocolError)
        exchange.failed(.malformedResponse(message.error))
    }

    func wasReset(_ code: HTTP2ErrorCode) {
        end(code)
        if code == .http11Required { connection.requiresHTTP1() }
        exchange.failed(resetWith: code)
    }

    /// The server did nothing with the request: it goes to another connection, once, where none of
    /// its body is gone (RFC 9113 §8.7).
    func wasUnprocessed(_ code: HTTP2ErrorCode) {
        end(code)
        guard !hasSentBody, !exchange.wasRepeated else {
            return exchange.failed(resetWith: code)
        }
        exchange.detachForRepeat()
        connection.repeatElsewhere(exchange)
    }

    func connectionLost(_ failure: ExchangeFailure) {
        let mayBeRepeated =
            connection.isReused && exchange.firstByteAt == nil && exchange.request.mayBeRepeated
            && !exchange.wasRepeated
        guard mayBeRepeated else { return exchange.failed(failure) }
        exchange.detachForRepeat()
        connection.repeatElsewhere(exchange)
    }

    func drained() { exchange.drained() }
}
