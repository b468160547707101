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
    /// Exchanges that wait for room.
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

    let tellsWhatItTook = true

    var http2Facts: HTTP2ConnectionFacts? { facts.peerSettings.isEmpty ? nil : facts }

    /// Bytes from the server without a request are valid in HTTP/2.
    func isSilent() -> Bool { link.stream.isOpen }

    func carry(_ exchange: ClientExchange) {
        guard exchange.request.isExtendedConnect else { return begin(exchange) }
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

    /// A stream was opened.
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
            exchange.detachForRepeat()
            connection.repeatElsewhere(exchange)
        }
    }

    /// A stream has ended.
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
