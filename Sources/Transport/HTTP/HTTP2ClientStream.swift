internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A stream to a server, which carries one exchange. Confined to its loop.
///
/// ```
/// messages ──2xx to an extended CONNECT──▶ bytes
/// ```
final class HTTP2ClientStream: ServerStream {
    private enum State {
        /// It carries a request and its response.
        case messages
        /// It carries the bytes of the protocol that the server agreed to.
        case bytes(HTTP2ByteStream)
    }

    private let exchange: ClientExchange
    private let owner: HTTP2ClientConnection
    private var state = State.messages
    private(set) var streamID: StreamID?
    /// Whether any of the request body was sent.
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
    let unfinishedBytes: [UInt8] = []

    func send(head request: borrowing ForwardedRequest) -> SentHead? {
        guard let begun = link.send(request, log: exchange.frames) else { return nil }
        streamID = begun.id
        owner.began(self, begun.id)
        return begun.sent.map { SentHead(bytes: $0.bytes, notes: $0.notes) }
    }

    func send(body bytes: Span<UInt8>) {
        guard let streamID else { return }
        hasSentBody = true
        link.send(body: bytes, on: streamID)
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

    /// Ends the stream if it has not ended.
    private func end(_ code: HTTP2ErrorCode) {
        guard let streamID else { return }
        link.reset(streamID, code)
        owner.ended(streamID)
    }

    // MARK: Input

    func received(informational head: ResponseHead) {
        exchange.noteFirstByte()
        exchange.received(informational: head)
    }

    func received(_ head: ResponseHead, body: BodyLength) {
        exchange.noteFirstByte()
        guard let streamID, exchange.request.isExtendedConnect, 200..<300 ~= head.status else {
            return exchange.received(head, body: body)
        }
        let stream = HTTP2ByteStream(streamID, of: link, .otherProtocol) { [owner] in
            owner.ended(streamID)
        }
        state = .bytes(stream)
        exchange.switched(to: stream, head: head, early: Span())
    }

    func received(body bytes: Span<UInt8>) {
        switch state {
        case .messages: exchange.received(body: bytes)
        case .bytes(let stream): stream.receive(bytes)
        }
    }

    func received(trailers: HeaderFields) { exchange.received(trailers: trailers) }

    /// The response is complete. The rest of the request is not sent if the server did not wait for
    /// it.
    func ended() {
        if case .bytes(let stream) = state { return stream.receivedEnd() }
        end(.noError)
        exchange.ended()
    }

    func refused(_ message: MalformedMessage) {
        let failure = ExchangeFailure.malformedResponse(message.error)
        if case .bytes(let stream) = state {
            return stream.broke(failure, reset: (.protocolError, isOurs: true))
        }
        exchange.noteFirstByte()
        exchange.noteRefused(message.fields)
        end(.protocolError)
        exchange.failed(failure)
    }

    func wasReset(_ code: HTTP2ErrorCode, isOurs: Bool) {
        if case .bytes(let stream) = state {
            return stream.broke(.streamReset(code), reset: (code, isOurs))
        }
        end(code)
        if code == .http11Required { connection.requiresHTTP1() }
        exchange.failed(resetWith: code)
    }

    /// The server did not process the request: it is sent over another connection, once, if none of
    /// its body was sent (RFC 9113 §8.7). Otherwise the client gets REFUSED_STREAM, whatever code
    /// GOAWAY had.
    func wasUnprocessed(_ code: HTTP2ErrorCode) {
        // It has already answered, so it has processed the request.
        if case .bytes(let stream) = state {
            return stream.broke(.streamReset(code), reset: (.cancel, isOurs: false))
        }
        end(code)
        guard !hasSentBody, !exchange.wasRepeated else {
            return exchange.failed(resetWith: .refusedStream)
        }
        exchange.detachForRepeat()
        connection.repeatElsewhere(exchange)
    }

    func connectionLost(_ failure: ExchangeFailure) {
        if case .bytes(let stream) = state { return stream.broke(failure) }
        let mayBeRepeated =
            connection.isReused && exchange.firstByteAt == nil && exchange.request.mayBeRepeated
            && !exchange.wasRepeated
        guard mayBeRepeated else { return exchange.failed(failure) }
        exchange.detachForRepeat()
        connection.repeatElsewhere(exchange)
    }

    func drained() {
        switch state {
        case .messages: exchange.drained()
        case .bytes(let stream): stream.drained()
        }
    }
}

extension HTTP2ByteStream {
    /// Ends the stream with an exchange failure.
    fileprivate func broke(
        _ failure: ExchangeFailure, reset: (code: HTTP2ErrorCode, isOurs: Bool)? = nil
    ) {
        broke(StreamError(kind: .reset, message: failure.message), reset: reset)
    }
}
