public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import FoundationEssentials

/// An HTTP/1 connection to a server, which carries one exchange at a time; confined to its loop.
///
/// ```
/// idle ──start──▶ busy(exchange) ──response and request complete, persistent──▶ idle
///   │                  └── anything else ──▶ closed
///   └── bytes no one asked for, end, error ──▶ closed
/// ```
final class HTTP1ClientConnection: DuplexStreamDelegate, ServerConnection, ServerStream {
    let stream: any DuplexStream
    let connection: PooledConnection

    private enum State {
        case idle
        case busy(ClientExchange)
        case closed
    }
    private var state: State = .idle
    // Exclusive: its members know only bytes.
    @exclusivity(unchecked) private var decoder: ResponseDecoder
    private var isPersistent = true
    private var response = ArrivingMessage()
    /// Whether the request body is sent in chunks.
    private var isChunked = false
    /// The key that the server must answer before it opens a WebSocket requested by extended
    /// CONNECT; nil if none was requested.
    private var webSocketKey: WebSocketKey?

    /// The upstream proxy's credentials that were sent with the current request.
    var sentAuthorization: [UInt8]?

    init(_ stream: any DuplexStream, connection: PooledConnection, limits: WireLimits) {
        self.stream = stream
        self.connection = connection
        decoder = ResponseDecoder(limits: limits)
        stream.delegate = self
    }

    // MARK: ServerConnection

    var room: Int { if case .idle = state { 1 } else { 0 } }

    let isMultiplexed = false
    let http2Facts: HTTP2ConnectionFacts? = nil

    func isSilent() -> Bool { stream.isSilent() }

    /// Early bytes are never read as a response, because no request was sent.
    func receive(early bytes: [UInt8]) { connection.abort() }

    func carry(_ exchange: ClientExchange) {
        webSocketKey = nil
        var method = exchange.request.method
        if let name = exchange.request.message.head.connectProtocol {
            guard name.lowercased() == "websocket" else {
                return connection.turnAway(exchange, .protocolNeedsHTTP2)
            }
            webSocketKey = WebSocketKey()
            method = .get
        }
        state = .busy(exchange)
        isPersistent = true
        response = ArrivingMessage()
        decoder.expectResponse(toMethod: method)
        isChunked = exchange.request.body == .chunked
        exchange.attach(to: self)
    }

    /// Does nothing: an HTTP/1 connection has room for one exchange only, and the server cannot ask
    /// it to take no more.
    func leaveRoom() {}

    func close() {
        leave()
        stream.close()
    }

    func abort() {
        leave()
        stream.abort()
    }

    // MARK: ServerStream

    var streamID: StreamID? { nil }

    var isCongested: Bool { stream.isCongested }

    var isLast: Bool { !isPersistent }

    var unfinishedBytes: [UInt8] { decoder.unfinishedBytes }

    func send(head request: borrowing ForwardedRequest) -> SentHead? {
        if let proxy = requestProxy { return send(head: request, to: proxy) }
        var bytes: [UInt8] = []
        let notes: ForwardingNotes
        if let webSocketKey {
            var keyed = copy request
            keyed.options.webSocketKey = webSocketKey.text
            notes = HTTP1HeadWriter.write(keyed, into: &bytes)
        } else {
            notes = HTTP1HeadWriter.write(request, into: &bytes)
        }
        stream.write(bytes)
        return notes.isEmpty ? nil : SentHead(bytes: bytes, notes: notes)
    }

    func send(body bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return }
        if isChunked { stream.write(chunk: bytes) } else { stream.write(bytes) }
    }

    func endRequest(trailers: HeaderFields?) {
        if isChunked { stream.writeLastChunk(trailers: trailers) }
    }

    func pauseReceiving() { stream.pauseReading() }

    func resumeReceiving() { stream.resumeReading() }

    /// Does nothing: HTTP/1 cannot change a priority (RFC 9218 §7).
    func send(priority value: [UInt8]) {}

    /// Closes the connection, the only way in HTTP/1 to cancel a request.
    func abandon(_ code: HTTP2ErrorCode) { abort() }

    private func leave() {
        state = .closed
        connection.left()
    }

    // MARK: DuplexStreamDelegate

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard case .busy(let exchange) = state else { return discard() }
        exchange.noteFirstByte()
        var offset = 0
        while isBusy(with: exchange) {
            do throws(WireError) {
                let part = try decoder.decode(bytes, from: &offset)
                if case .needsMoreInput = part {
                    return response.acknowledgeIfCut(after: bytes.count, on: stream)
                }
                deliver(part, to: exchange, input: bytes, offset: offset)
            } catch {
                exchange.noteRefused(
                    decoder.refusedBytes(
                        of: bytes, at: offset, byteCountMax: ResponseFault.Refusal.byteCountMax))
                return fail(exchange, .malformedResponse(error))
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        guard case .busy(let exchange) = state else { return discard() }
        // Close-delimited content over TLS is complete only after a close_notify (RFC 9112 §9.8).
        isPersistent = false
        // A head may end here without its empty line; the end of its body, if any, then follows.
        while isClean, let part = try? decoder.finish() {
            switch part {
            case .end: return finish(exchange, hasUnreadInput: false)
            case .head(let head, let body): receive(head, body: body, for: exchange)
            default: return connectionLost(exchange, .closedEarly)
            }
            guard isBusy(with: exchange) else { return }
        }
        connectionLost(exchange, .closedEarly)
    }

    func streamDidDrain(_ stream: any DuplexStream) {
        if case .busy(let exchange) = state { exchange.drained() }
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        guard case .busy(let exchange) = state else { return discard() }
        connectionLost(exchange, .connectionBroke(error))
    }

    // MARK: Steps

    private func isBusy(with exchange: ClientExchange) -> Bool {
        if case .busy(let current) = state { current === exchange } else { false }
    }

    // Heads are moved from here on: copying one would retain each of its parts.
    private func deliver(
        _ part: consuming Decoded<ResponseHead>, to exchange: ClientExchange, input: Span<UInt8>,
        offset: Int
    ) {
        switch consume part {
        case .needsMoreInput: break
        case .informational(let head): exchange.received(informational: head)
        case .head(let head, let body):
            if head.status == 101 {
                return switchProtocols(head, of: exchange, input.extracting(offset..<input.count))
            }
            receive(head, body: body, for: exchange)
        case .body(let range): exchange.received(body: input.extracting(range))
        case .trailers(let trailers): exchange.received(trailers: trailers)
        case .end:
            if offset < input.count {
                keepExcess(input.extracting(offset..<input.count), of: exchange)
            }
            finish(exchange, hasUnreadInput: offset < input.count)
        }
    }

    /// Passes the stream to the exchange that asked for another protocol.
    private func switchProtocols(
        _ head: ResponseHead, of exchange: ClientExchange, _ early: Span<UInt8>
    ) {
        if let objection = webSocketKey?.objection(to: head) {
            exchange.noteRefused(head.bytes)
            return fail(exchange, objection)
        }
        leave()
        exchange.switched(to: stream, head: head, early: early)
    }

    private func receive(_ head: ResponseHead, body: BodyLength, for exchange: ClientExchange) {
        if head.status == 407, let proxy = requestProxy {
            return challenged(by: proxy, head, exchange)
        }
        isPersistent = isPersistent && head.isPersistent
        noteRepairs(exchange)
        exchange.received(head, body: body)
    }

    /// Keeps bytes that came after the end of the response for the record; they are not forwarded.
    private func keepExcess(_ bytes: Span<UInt8>, of exchange: ClientExchange) {
        let count = min(bytes.count, ResponseFault.Refusal.byteCountMax)
        exchange.noteRefused(bytes.extracting(0..<count).array)
    }

    /// Records repairs. If one concerns the framing, closes the connection after the response: the
    /// server and the proxy might disagree about where it ended.
    private func noteRepairs(_ exchange: ClientExchange) {
        let repairs = decoder.repairs
        guard !repairs.isEmpty else { return }
        exchange.note(repairs)
        if repairs.concernsFraming { isPersistent = false }
    }

    private func finish(_ exchange: ClientExchange, hasUnreadInput: Bool) {
        noteRepairs(exchange)
        // Bytes after a response are not a response (RFC 9112 §9.2), and if the server did not read
        // the whole request, the state of the connection is unknown.
        if isPersistent, !hasUnreadInput, exchange.isRequestComplete, stream.queuedByteCount == 0 {
            state = .idle
            stream.resumeReading()
            connection.exchangeEnded(now: stream.loop.now)
        } else {
            leave()
            stream.close()
        }
        exchange.ended()
    }

    private func connectionLost(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        abort()
        guard connection.isReused, exchange.firstByteAt == nil else {
            noteRepairs(exchange)
            exchange.noteRefused(decoder.unfinishedBytes)
            return exchange.failed(failure)
        }
        // A new connection would not have the login that the server associated with this one.
        if exchange.request.mayBeRepeated, !connection.isBound {
            connection.repeatElsewhere(exchange)
        } else {
            exchange.failedUnanswered(failure)
        }
    }

    func fail(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        noteRepairs(exchange)
        abort()
        exchange.failed(failure)
    }

    /// Closes an idle connection on which the server has ended, or sent bytes without a request.
    private func discard() {
        if case .closed = state { return }
        abort()
    }
}

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
    func challenged(by route: UpstreamRoute, _ head: ResponseHead, _ exchange: ClientExchange) {
        let isTaken =
            exchange.challengeCount < 2
            && route.proxy.takesChallenge(head, after: sentAuthorization)
        guard isTaken else { return fail(exchange, .upstream(route.proxy, refused: head, nil)) }
        guard exchange.request.hasNoBody else {
            return fail(exchange, .upstreamBodySent(route.proxy))
        }
        exchange.challengeCount += 1
        abort()
        connection.repeatElsewhere(exchange)
    }
}

extension OutgoingRequest {
    /// Whether it has no body, so that it can be sent again.
    fileprivate var hasNoBody: Bool { body == .none || body == .exactly(0) }
}

/// The challenge that an HTTP/1.1 server answers to prove that it understood a request for a
/// WebSocket (RFC 6455 §4.1).
struct WebSocketKey {
    /// The value of Sec-WebSocket-Key: 16 random bytes in Base64.
    let text: String

    init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = Data(bytes).base64EncodedString()
    }

    /// Returns why a response that switches protocols does not open the WebSocket, or nil if it
    /// does.
    func objection(to head: ResponseHead) -> ExchangeFailure? {
        let chosen = head.upgradeProtocols.map { $0.lowercased() }
        guard chosen == ["websocket"] else { return .switchedToOther }
        return WebSocketProof.isGiven(in: head.fields, for: text) ? nil : .badWebSocketProof
    }
}

/// The proof of an HTTP/1.1 server that it understood a request for a WebSocket.
public enum WebSocketProof {
    /// Whether a server's fields contain exactly one Sec-WebSocket-Accept, and it matches a key
    /// (RFC 6455 §4.1).
    /// - Parameter key: the value of Sec-WebSocket-Key, as it was sent.
    public static func isGiven(in response: HeaderFields, for key: String) -> Bool {
        let digest = DigestAlgorithm.sha1.digest(of: WebSocketHandshake.acceptInput(key: key))
        guard let digest else { return false }
        return response.values(named: "Sec-WebSocket-Accept")
            == [Data(digest).base64EncodedString()]
    }
}

/// Chunked bodies (RFC 9112 §7.1).
extension DuplexStream {
    public func write(chunk bytes: Span<UInt8>) {
        var line: [UInt8] = []
        ChunkEncoder.writeChunkHeader(byteCount: bytes.count, into: &line)
        write(line)
        write(bytes)
        line.removeAll(keepingCapacity: true)
        ChunkEncoder.writeChunkEnd(into: &line)
        write(line)
    }

    /// Writes the last chunk, with trailers if there are any.
    public func writeLastChunk(trailers: HeaderFields?) {
        var bytes: [UInt8] = []
        ChunkEncoder.writeLastChunk(trailers: trailers, into: &bytes)
        write(bytes)
    }
}
