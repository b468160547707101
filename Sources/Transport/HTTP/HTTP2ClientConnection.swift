internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A server connection that speaks HTTP/2: as many exchanges at a time as the server takes.
/// Confined to its loop.
///
/// ```
/// open ──GOAWAY──▶ going away ──last stream ended──▶ closed      any ──end, error──▶ closed
/// ```
final class HTTP2ClientConnection: ServerConnection, HTTP2LinkOwner {
    let link: HTTP2Link
    let connection: PooledConnection
    private var facts = HTTP2ConnectionFacts()
    private var streams = StreamMap<HTTP2ClientStream>()

    init(_ stream: any DuplexStream, connection: PooledConnection, options: HTTPTransport.Options) {
        var machineOptions = HTTP2Connection.Options(.client)
        machineOptions.limits = options.wireLimits
        machineOptions.frames = options.connectionFrames
        link = HTTP2Link(.client, over: stream, options: machineOptions)
        self.connection = connection
        link.owner = self
        stream.delegate = link
    }

    // MARK: ServerConnection

    func receive(early octets: [UInt8]) { link.stream(link.stream, didReceive: octets.span) }

    var room: Int { link.room }

    let tellsWhatItTook = true

    var http2Facts: HTTP2ConnectionFacts? { facts.peerSettings.isEmpty ? nil : facts }

    /// What a server says unasked is taken for what it is.
    func isSilent() -> Bool { link.stream.isOpen }

    func carry(_ exchange: ClientExchange) {
        let stream = HTTP2ClientStream(exchange, on: self)
        exchange.attach(to: stream)
        if stream.streamID == nil { connection.exchangeEnded(now: now) }
    }

    func leaveRoom() {
        link.drain()
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

    /// A stream has begun.
    func began(_ stream: HTTP2ClientStream, _ id: StreamID) { streams.add(stream, for: id) }

    /// A stream is over.
    func ended(_ id: StreamID) {
        guard streams.remove(id) != nil else { return }
        connection.exchangeEnded(now: now)
        if streams.isEmpty, link.isGoingAway { close() }
    }

    /// Tells what is known of the connection, where it is more than was known.
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
        case .reset(let id, let code, _): streams[id]?.wasReset(code)
        case .unprocessed(let id, let code): streams[id]?.wasUnprocessed(code)
        case .goAway:
            connection.roomChanged()
            if streams.isEmpty { close() }
        case .settings:
            tellFacts()
            connection.roomChanged()
        case .needsMoreInput, .request, .priorityUpdate: break
        }
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }

    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {
        tellFacts()
        connection.left()
        let all = streams.values
        streams.removeAll()
        for stream in all { stream.connectionLost(.http2(failure)) }
    }
}
