internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// The client's side of HTTP/1: decodes requests one after another and answers them in order.
///
/// ```
/// waiting ──head──▶ receiving ──last byte──▶ responding ──response complete──▶ waiting
///    │                  └────── response complete first ──────▶ closing
///    ├──CONNECT──▶ handedOver     ├──101──▶ handedOver
///    ├──user to be checked──▶ admitting ──▶ as if it had come now, or refusing ──▶ waiting
///    └── bad request, deadline, end ──▶ closing
/// ```
/// In `responding`, what the client sends ahead waits unparsed: pipelined requests are answered in
/// order (RFC 9112 §9.3.2). Reading pauses only once much waits, because only reading shows that a
/// client has left. While the recorder cannot keep up, no request starts: the bytes of one are
/// kept, and reading pauses.
final class HTTP1ServerConnection: DuplexStreamDelegate, ClientLayer {
    // Copied often; what few requests need is behind a reference.
    enum State {
        case waiting
        /// It is checked whether the request may be served.
        indirect case admitting(AdmittedRequest)
        /// The request is refused once its body has arrived.
        indirect case refusing(RefusedRequest)
        case receiving(ExchangeMachine)
        case responding(ExchangeMachine)
        case handedOver
        case closing
    }

    let stream: any DuplexStream
    let connection: ClientConnection
    // The connection's, at hand for each request.
    let settings: LoopSettings
    let recorder: LoopRecorder
    let parts: HTTPParts
    let tunnels: TunnelParts
    let destination: InboundDestination
    /// The server connections reserved for this client connection.
    let affinity: ConnectionAffinity
    var state: State = .waiting
    /// The head of the request that is being relayed; nil between requests.
    var request: RequestHead?
    /// The user whose request is served; nil if requests need none.
    var user: String?
    var response = ResponseProgress()
    // Exclusive: its members know only bytes.
    @exclusivity(unchecked) var decoder: RequestDecoder
    /// Reading pauses once this many bytes are unparsed.
    private static let unparsedByteCountMax = 64 << 10

    /// Bytes received before they can be decoded.
    // Exclusive: nothing else runs while bytes are appended.
    @exclusivity(unchecked) var unparsed: [UInt8] = []
    private var isPumping = false
    private var arriving = ArrivingMessage()
    var pauseReasons: PauseReasons = []
    private(set) var headStartedAt: Int64 = 0
    /// Whether no request has arrived yet.
    private(set) var isFresh = true
    /// Whether nothing has arrived after the head of the current request.
    var isBodyUntouched = true
    /// Set after a request was answered with 417: the next bytes must be that request again, or
    /// they are not read.
    var unmetExpectation: UnmetExpectation?
    var isDraining = false
    /// Whether the client ended its side while one of its requests was being answered.
    var hasClientEnded = false

    /// When waiting for a request or for the rest of its head times out; during an exchange, the
    /// machine's deadline counts.
    var ownDeadline: Int64
    /// When the connection last started to wait for a request.
    var waitingSince: Int64
    var registryIndex = -1

    init(
        stream: any DuplexStream, connection: ClientConnection,
        destination: InboundDestination, parts: HTTPParts, tunnels: TunnelParts
    ) {
        self.stream = stream
        self.connection = connection
        settings = connection.settings
        recorder = connection.recorder
        self.parts = parts
        self.tunnels = tunnels
        self.destination = destination
        affinity = ConnectionAffinity(client: connection.id)
        decoder = RequestDecoder(limits: settings.configuration.wireLimits)
        waitingSince = connection.now
        ownDeadline = waitingSince &+ settings.configuration.idleTimeoutNs
    }

    // MARK: Input

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard unparsed.isEmpty, !isPumping else {
            bytes.withUnsafeBufferPointer { unparsed.append(contentsOf: $0) }
            pauseIfMuchIsUnparsed()
            return
        }
        isPumping = true
        let consumed = decode(bytes)
        isPumping = false
        if consumed < bytes.count, isReading {
            bytes.extracting(consumed..<bytes.count)
                .withUnsafeBufferPointer { unparsed.append(contentsOf: $0) }
            pump()
        }
    }

    /// Decodes unparsed bytes as far as the state allows.
    func pump() {
        guard !isPumping else { return }
        isPumping = true
        while canDecode, !unparsed.isEmpty {
            let input = unparsed
            unparsed = []
            let consumed = decode(input.span)
            if consumed < input.count, isReading { unparsed = Array(input[consumed...]) + unparsed }
        }
        isPumping = false
        pauseIfMuchIsUnparsed()
        if hasClientEnded, unparsed.isEmpty { nothingMoreComes() }
    }

    /// Goes on after `change` has decided about the request that was waited with; it gets the
    /// unparsed bytes, which may be the client's first ones in a tunnel.
    func resume(_ change: (_ ahead: Span<UInt8>) -> Void) {
        let ahead = unparsed
        unparsed = []
        isPumping = true
        change(ahead.span)
        if isReading {
            // Without bytes, too: the request may end with its head.
            let consumed = decode(ahead.span)
            if isReading { unparsed = Array(ahead[consumed...]) + unparsed }
        }
        isPumping = false
        pump()
    }

    private func pauseIfMuchIsUnparsed() {
        setPaused(
            .pipelined, unparsed.count >= HTTP1ServerConnection.unparsedByteCountMax && isReading)
    }

    var isReading: Bool {
        switch state {
        case .waiting, .admitting, .refusing, .receiving, .responding: true
        case .handedOver, .closing: false
        }
    }

    private var canDecode: Bool {
        switch state {
        case .waiting: !(decoder.isIdle && pauseReasons.contains(.recorder))
        case .receiving, .refusing: true
        case .admitting, .responding, .handedOver, .closing: false
        }
    }

    /// Decodes as much as the state allows; returns the number of bytes used.
    private func decode(_ input: Span<UInt8>) -> Int {
        var offset = 0
        while canDecode {
            // An exchange may be its row alone, so the recorder needs room before it starts.
            if case .waiting = state, decoder.isIdle, offset < input.count, pauseForRecorder() {
                return offset
            }
            do throws(WireError) {
                let part = try nextPart(of: input, from: &offset)
                if case .needsMoreInput = part {
                    if !decoder.isIdle { arriving.acknowledgeIfCut(after: input.count, on: stream) }
                    if unmetExpectation?.mayBecomeRepeated(decoder.partialHead) == false { close() }
                    return input.count
                }
                handle(part, input: input, offset: offset)
            } catch {
                if !continuesInHTTP2(error, decoder.partialHead) { refuse(error) }
                return input.count
            }
        }
        return offset
    }

    /// Decodes the next part of the input. The head timeout starts with the first byte of a head:
    /// empty lines before it neither start nor extend it.
    private func nextPart(
        of input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        if case .receiving = state, offset < input.count { isBodyUntouched = false }
        let wasIdle = decoder.isIdle
        defer { if wasIdle, !decoder.isIdle { headBegins() } }
        return try decoder.decode(input, from: &offset)
    }

    private func headBegins() {
        arriving = ArrivingMessage()
        headStartedAt = connection.now
        ownDeadline = connection.now &+ settings.configuration.headTimeoutNs
    }

    // Heads are moved from here on: copying one would retain each of its parts.
    private func handle(_ part: consuming Decoded<RequestHead>, input: Span<UInt8>, offset: Int) {
        switch consume part {
        case .needsMoreInput, .informational: break
        case .head(let head, let body):
            guard case .waiting = state else { return }
            begin(head, body: body, rest: input.extracting(offset..<input.count))
        case .body(let range):
            if case .refusing(let refused) = state {
                refused.tap.appendRequestBody(input.extracting(range), at: connection.now)
            }
            guard case .receiving(let machine) = state else { return }
            machine.receive(body: input.extracting(range))
        case .trailers(let trailers):
            guard case .receiving(let machine) = state else { return }
            machine.receive(trailers: trailers)
        case .end:
            if case .refusing(let refused) = state { return finish(refused, keepsAlive: true) }
            guard case .receiving(let machine) = state else { return }
            state = .responding(machine)
            if hasClientEnded { machine.clientEnded() }
            machine.requestEnded()
        }
    }

    // MARK: Requests

    private func begin(_ head: consuming RequestHead, body: BodyLength, rest: Span<UInt8>) {
        let admission = parts.access.admission(of: head, on: connection, to: destination)
        if head.fields.hasProxyCredentials { head = head.withoutProxyCredentials }
        if let expectation = unmetExpectation {
            unmetExpectation = nil
            guard expectation.isRepeated(by: head) else { return close() }
        }
        isBodyUntouched = true
        isFresh = false
        if let admission { return wait(for: admission, of: head, body: body, rest: rest) }
        serve(head, body: body, rest: rest)
    }

    /// Serves a request that may be served; `rest` is what arrived after its head.
    func serve(_ head: consuming RequestHead, body: BodyLength, rest: Span<UInt8>) {
        do throws(WireError) {
            switch try resolve(head) {
            case .forward(let url):
                if settings.configuration.ownHostNames.haveHost(url.host) {
                    answerPage(head, path: url.pathText, body: body)
                } else {
                    forward(head, body: body, url: url)
                }
            case .tunnel(let host, let port): connect(head, host: host, port: port, early: rest)
            case .proxyItself(let path): answerPage(head, path: path, body: body)
            }
        } catch {
            let tap = openTap(head)
            answerLocally(.badRequest(error), to: head, tap: tap, failure: .malformed(error))
        }
    }

    private func forward(_ head: consuming RequestHead, body: BodyLength, url: consuming RawURL) {
        let tap = openTap(head, url: url)
        let maxForwards = MaxForwards(head)
        if maxForwards == .answer {
            return answerLocally(.lastRecipient(of: head), to: head, tap: tap, failure: nil)
        }
        let machine = ExchangeMachine(
            client: self, ports: parts.ports, tap: tap,
            references: destination.backReferences(for: head))
        state = .receiving(machine)
        request = copy head
        response = ResponseProgress(isPersistenceWanted: head.isPersistent)
        let outgoing = OutgoingRequest(
            head: head, url: url, body: body, maxForwards: maxForwards, via: destination,
            settings: settings)
        machine.start(outgoing, prepared: destination.prepared)
    }

    // MARK: Endings

    func close() {
        leave()
        stream.close()
    }

    func leave() {
        state = .closing
        unparsed = []
        request = nil
        ownDeadline = .max
        connection.clients.remove(self)
        tunnels.transport.release(affinity)
        if case .server(let server) = destination { server.prepared?.discard() }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        switch state {
        // Bytes received before are waiting for the recorder.
        case .waiting where !unparsed.isEmpty: hasClientEnded = true
        case .admitting: hasClientEnded = true
        case .waiting, .receiving, .refusing: nothingMoreComes()
        case .responding(let machine):
            hasClientEnded = true
            machine.clientEnded()
        case .handedOver, .closing: break
        }
    }

    func streamPeerDidEnd(_ stream: any DuplexStream) {
        switch state {
        case .receiving(let machine): machine.clientEndedAhead()
        case .responding(let machine): machine.clientEnded()
        case .waiting, .admitting, .refusing, .handedOver, .closing: break
        }
    }

    /// The client has ended its side, and everything received before has been decoded.
    private func nothingMoreComes() {
        switch state {
        case .waiting:
            if !decoder.isIdle { recordCutHead() }
            close()
        case .receiving(let machine): machine.clientVanished()
        case .refusing(let refused): finish(refused, keepsAlive: false)
        case .admitting, .responding, .handedOver, .closing: break
        }
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        switch state {
        case .waiting:
            if !decoder.isIdle { recordCutHead() }
            leave()
            stream.abort()
        case .receiving(let machine), .responding(let machine): machine.clientVanished()
        case .admitting, .refusing:
            recordUnserved(.clientClosed)
            leave()
            stream.abort()
        case .handedOver, .closing: break
        }
    }

    func streamDidDrain(_ stream: any DuplexStream) {
        switch state {
        case .receiving(let machine), .responding(let machine): machine.clientDrained()
        case .waiting, .admitting, .refusing, .handedOver, .closing: break
        }
    }
}

/// CONNECT, which hands the client's stream to another layer.
extension HTTP1ServerConnection {
    /// Serves a CONNECT; `early` is what arrived after its head.
    func connect(_ head: RequestHead, host: String, port: UInt16, early: Span<UInt8>) {
        connection.user = user
        let negotiation = ConnectNegotiation(
            host: host, port: port, head: head, firstByteAt: headStartedAt, headAt: connection.now)
        guard settings.configuration.isConnectPortAllowed(port) else {
            let tap = negotiation.openTap(on: connection)
            return answerLocally(
                .connectPortRefused, to: head, tap: tap, failure: .portRefused(port))
        }
        var tunnel = ClientTunnel(
            client: stream, connection: connection, parts: tunnels, negotiation: negotiation)
        tunnel.hopCount = HopCount.received(head.fields)
        handOver(to: TunnelOpening(tunnel), early: early.array)
    }
}

/// HTTP/2 by prior knowledge (RFC 9113 §3.3).
extension HTTP1ServerConnection {
    /// Hands the connection to an HTTP/2 layer if the first bytes are not a request but the HTTP/2
    /// preface; returns whether it did.
    func continuesInHTTP2(_ error: WireError, _ bytes: [UInt8]) -> Bool {
        guard error.kind == .http2Preface, isFresh, HTTP2Connection.isPrefaceBegun(bytes) else {
            return false
        }
        let layer = tunnels.httpLayer(.http2, over: stream, on: connection, to: destination)
        handOver(to: layer, early: bytes)
        return true
    }
}

/// Deadlines, and the end of the proxy.
extension HTTP1ServerConnection {
    var deadline: Int64 {
        switch state {
        case .receiving(let machine), .responding(let machine): machine.deadline
        case .admitting: .max
        case .waiting, .refusing, .handedOver, .closing: ownDeadline
        }
    }

    var idleSince: Int64? {
        if case .waiting = state, decoder.isIdle, unparsed.isEmpty { waitingSince } else { nil }
    }

    func deadlinePassed(now: Int64) {
        switch state {
        case .waiting:
            guard !decoder.isIdle else { return close() }
            answerUnread(.requestTimeout, failure: .headTimedOut)
        case .receiving(let machine), .responding(let machine): machine.deadlinePassed()
        case .refusing(let refused): finish(refused, keepsAlive: false)
        case .admitting, .handedOver, .closing: ownDeadline = .max
        }
    }

    func drain() {
        isDraining = true
        if idleSince != nil { close() }
    }

    func terminate(_ reason: TerminationReason) {
        // Any answer still sent is the last one on this connection.
        isDraining = true
        switch state {
        case .waiting: close()
        case .receiving(let machine), .responding(let machine): machine.terminate(reason)
        case .admitting, .refusing:
            recordUnserved(.terminated(reason))
            close()
        case .handedOver, .closing: break
        }
    }
}
