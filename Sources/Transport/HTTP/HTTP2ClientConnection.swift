internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// An HTTP/2 connection to a server: carries as many exchanges at a time as the server allows.
/// Confined to its loop.
///
/// ```
/// open ──GOAWAY──▶ going away ──last stream ended──▶ closed      any ──end, error──▶ closed
/// ```
/// An exchange that finds no room waits here until the server allows more streams.
final class HTTP2ClientConnection: ServerConnection, HTTP2LinkOwner {
    let link: HTTP2Link
    let connection: PooledConnection
    private var facts = HTTP2ConnectionFacts()
    private var streams = StreamMap<HTTP2ClientStream>()
    /// Exchanges with an extended CONNECT, which wait for the server's settings.
    private var awaitingSettings: [ClientExchange] = []
    private var waiting: [ClientExchange] = []

    init(_ stream: any DuplexStream, connection: PooledConnection, options: HTTPTransport.Options) {
        var machineOptions = HTTP2Connection.Options(.client)
        machineOptions.limits = options.wireLimits
        machineOptions.frames = options.connectionFrames
        if let count = connection.rememberedStreamCountMax {
            machineOptions.assumedStreamCountMax = min(machineOptions.assumedStreamCountMax, count)
        }
        link = HTTP2Link(.client, over: stream, options: machineOptions)
        self.connection = connection
        link.owner = self
        stream.delegate = link
    }

    // MARK: ServerConnection

    func receive(early bytes: [UInt8]) { link.stream(link.stream, didReceive: bytes.span) }

    var room: Int { waiting.isEmpty ? link.room : 0 }

    let isMultiplexed = true

    var http2Facts: HTTP2ConnectionFacts? { facts.peerSettings.isEmpty ? nil : facts }

    /// Bytes from the server without a request are valid in HTTP/2.
    func isSilent() -> Bool { link.stream.isOpen }

    func carry(_ exchange: ClientExchange) {
        guard exchange.isExtendedConnect else { return begin(exchange) }
        guard !link.hasPeerSettings else { return beginExtended(exchange) }
        awaitingSettings.append(exchange)
        exchange.cancelConnecting = { [weak self, unowned exchange] in
            self?.cancelAwaiting(exchange)
        }
    }

    private func cancelAwaiting(_ exchange: ClientExchange) {
        awaitingSettings.removeAll { $0 === exchange }
        connection.exchangeEnded(now: now)
    }

    private func settingsCame() {
        connection.tell(takesExtendedConnect: link.peerSettings.allowsExtendedConnect)
        let waiting = awaitingSettings
        awaitingSettings = []
        for exchange in waiting {
            exchange.cancelConnecting = nil
            beginExtended(exchange)
        }
    }

    /// Starts an extended CONNECT if the server supports it.
    private func beginExtended(_ exchange: ClientExchange) {
        guard link.peerSettings.allowsExtendedConnect else {
            return connection.turnAway(exchange, .extendedConnectNotTaken)
        }
        begin(exchange)
    }

    private func begin(_ exchange: ClientExchange) {
        guard link.room > 0 else { return wait(exchange) }
        let stream = HTTP2ClientStream(exchange, on: self)
        exchange.attach(to: stream)
        if stream.streamID == nil { connection.exchangeEnded(now: now) }
    }

    func leaveRoom() {
        link.drain()
        sendWaitingElsewhere(.closedEarly)
        if streams.isEmpty { close() }
    }

    func close() {
        tellFacts()
        connection.left()
        link.close()
    }

    func abort() {
        tellFacts()
        connection.left()
        link.abort()
    }

    var now: Int64 { link.loop.now }

    // MARK: Streams

    func began(_ stream: HTTP2ClientStream, _ id: StreamID) { streams.add(stream, for: id) }

    private func wait(_ exchange: ClientExchange) {
        waiting.append(exchange)
        exchange.cancelConnecting = { [weak self, unowned exchange] in self?.gaveUp(exchange) }
    }

    /// A waiting exchange was cancelled.
    private func gaveUp(_ exchange: ClientExchange) {
        waiting.removeAll { $0 === exchange }
        connection.exchangeEnded(now: now)
    }

    /// Starts waiting exchanges, as far as there is room.
    private func beginWaiting() {
        while link.room > 0, !waiting.isEmpty { carry(waiting.removeFirst()) }
    }

    /// There will be no more room: waiting exchanges are sent over another connection, once.
    private func sendWaitingElsewhere(_ failure: ExchangeFailure) {
        let all = waiting
        waiting = []
        for exchange in all where !exchange.isFinished {
            connection.exchangeEnded(now: now)
            guard !exchange.wasRepeated else {
                exchange.failed(failure)
                continue
            }
            connection.repeatElsewhere(exchange)
        }
    }

    func ended(_ id: StreamID) {
        guard streams.remove(id) != nil else { return }
        beginWaiting()
        connection.exchangeEnded(now: now)
        if streams.isEmpty, link.isGoingAway { close() }
    }

    /// Reports the facts of the connection if anything has changed.
    private func tellFacts() {
        let news = link.takeFacts()
        guard !news.frames.isEmpty || news.peerSettings != facts.peerSettings else { return }
        facts.append(news)
        connection.tell(facts)
    }

    // MARK: HTTP2LinkOwner

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .informational(let id, let head): streams[id]?.received(informational: head)
        case .response(let id, let head, let body): streams[id]?.received(head, body: body)
        case .body(let id, let range): streams[id]?.received(body: input.extracting(range))
        case .trailers(let id, let trailers): streams[id]?.received(trailers: trailers)
        case .end(let id): streams[id]?.ended()
        case .malformed(let id, let message): streams[id]?.refused(message)
        case .reset(let id, let code, let isOurs): streams[id]?.wasReset(code, isOurs: isOurs)
        case .unprocessed(let id, let code): streams[id]?.wasUnprocessed(code)
        case .goAway:
            connection.roomChanged()
            sendWaitingElsewhere(.closedEarly)
            if streams.isEmpty { close() }
        case .settings(let settings):
            tellFacts()
            connection.remember(streamCountMax: settings.concurrentStreamCountMax)
            beginWaiting()
            connection.roomChanged()
            settingsCame()
        case .needsMoreInput, .request, .lostHead, .priorityUpdate: break
        }
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }

    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {
        tellFacts()
        connection.left()
        let waiting = awaitingSettings
        awaitingSettings = []
        for exchange in waiting { exchange.failed(.http2(failure)) }
        let all = streams.values
        streams.removeAll()
        for stream in all { stream.connectionLost(.http2(failure)) }
        sendWaitingElsewhere(.http2(failure))
    }
}

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
        guard let streamID, exchange.isExtendedConnect, 200..<300 ~= head.status else {
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
        connection.repeatElsewhere(exchange)
    }

    func connectionLost(_ failure: ExchangeFailure) {
        if case .bytes(let stream) = state { return stream.broke(failure) }
        let mayBeRepeated =
            connection.isReused && exchange.firstByteAt == nil && exchange.request.mayBeRepeated
            && !exchange.wasRepeated
        guard mayBeRepeated else { return exchange.failed(failure) }
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
    fileprivate func broke(
        _ failure: ExchangeFailure, reset: (code: HTTP2ErrorCode, isOurs: Bool)? = nil
    ) {
        broke(StreamError(kind: .reset, message: failure.message), reset: reset)
    }
}

extension ExchangeFailure {
    /// The connection that carried the exchange has ended.
    static func http2(_ failure: HTTP2LinkFailure) -> ExchangeFailure {
        switch failure {
        case .ended: .closedEarly
        case .lost(let error): .connectionBroke(error)
        case .broken(let error):
            ExchangeFailure(
                origin: .upstream, kind: .malformedResponse,
                message: "the server violated HTTP/2: \(error.message)")
        }
    }

    static func streamReset(_ code: HTTP2ErrorCode) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .closedEarly, message: "the server reset the stream: \(code)")
    }
}
