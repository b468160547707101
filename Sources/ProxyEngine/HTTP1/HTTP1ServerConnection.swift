internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// The client's side of HTTP/1: decodes requests one after the other and answers them in order.
///
/// ```
/// waiting ──head──▶ receiving ──last octet──▶ responding ──response complete──▶ waiting
///    │                  └────── response complete first ──────▶ closing
///    ├──CONNECT──▶ handedOver     ├──101──▶ handedOver
///    └── bad request, deadline, end ──▶ closing
/// ```
/// While `responding`, what the client sends ahead is held: pipelined requests are answered in
/// order (RFC 9112 §9.3.2). Reading stops where much is held, and not before: a client that is gone
/// shows only there. While the recorder cannot follow, no request begins: what has come of one is
/// held, and reading stops.
final class HTTP1ServerConnection: DuplexStreamDelegate, Supervised {
    private enum State {
        case waiting
        case receiving(ExchangeRelay)
        case responding(ExchangeRelay)
        case handedOver
        case closing
    }

    let stream: any DuplexStream
    let connection: ClientConnection
    let worker: ProxyWorker
    let destination: InboundDestination
    /// The server connections that belong with this one.
    let affinity: ConnectionAffinity
    private var state: State = .waiting
    /// The head of the request that a relay is under way with.
    private(set) var request: RequestHead?
    var response = ResponseProgress()
    private var decoder: RequestDecoder
    /// So many held octets are enough for now.
    private static let heldByteCountMax = 64 << 10

    /// Octets that came ahead of their turn.
    private var held: [UInt8] = []
    private var isPumping = false
    private var pauseReasons: PauseReasons = []
    private(set) var headStartedAt: Int64 = 0
    /// Whether no request has come yet.
    private(set) var isFresh = true
    /// Whether nothing has come after the head of the present request.
    private var isBodyUntouched = true
    /// Where a request was answered 417: what comes next is that request again, or is not read.
    private var unmetExpectation: UnmetExpectation?
    private var isDraining = false
    /// Whether the client has ended its side while a request of its was being answered.
    private var hasClientEnded = false

    /// When its own time is over; what a request may take, its relay knows.
    private var ownDeadline: Int64
    /// When it last began to wait for a request.
    private var waitingSince: Int64
    var registryIndex = -1

    init(
        stream: any DuplexStream, connection: ClientConnection, worker: ProxyWorker,
        destination: InboundDestination
    ) {
        self.stream = stream
        self.connection = connection
        self.worker = worker
        self.destination = destination
        affinity = ConnectionAffinity(client: connection.id)
        decoder = RequestDecoder(limits: worker.configuration.wireLimits)
        waitingSince = worker.now
        ownDeadline = waitingSince &+ worker.configuration.idleTimeoutNs
    }

    // MARK: Input

    func stream(_ stream: any DuplexStream, didReceive octets: Span<UInt8>) {
        guard held.isEmpty, !isPumping else {
            octets.withUnsafeBufferPointer { held.append(contentsOf: $0) }
            pauseWhereMuchIsHeld()
            return
        }
        isPumping = true
        let consumed = decode(octets)
        isPumping = false
        if consumed < octets.count, isReading {
            octets.extracting(consumed..<octets.count)
                .withUnsafeBufferPointer { held.append(contentsOf: $0) }
            pump()
        }
    }

    /// Decodes what was held, as far as it may be decoded now.
    private func pump() {
        guard !isPumping else { return }
        isPumping = true
        while canDecode, !held.isEmpty {
            let input = held
            held = []
            let consumed = decode(input.span)
            if consumed < input.count, isReading {
                held = Array(input[consumed...]) + held
            }
        }
        isPumping = false
        pauseWhereMuchIsHeld()
        if hasClientEnded, held.isEmpty { nothingMoreComes() }
    }

    private func pauseWhereMuchIsHeld() {
        setPaused(.pipelined, held.count >= HTTP1ServerConnection.heldByteCountMax && isReading)
    }

    private var isReading: Bool {
        switch state {
        case .waiting, .receiving, .responding: true
        case .handedOver, .closing: false
        }
    }

    private var canDecode: Bool {
        switch state {
        case .waiting: !(decoder.isIdle && pauseReasons.contains(.recorder))
        case .receiving: true
        case .responding, .handedOver, .closing: false
        }
    }

    /// Decodes as much as the state allows; returns the number of octets used.
    private func decode(_ input: Span<UInt8>) -> Int {
        var offset = 0
        while canDecode {
            // Its row has to find room too, and it may be all there is to an exchange.
            if case .waiting = state, decoder.isIdle, offset < input.count, pauseForRecorder() {
                return offset
            }
            do throws(WireError) {
                let part = try nextPart(of: input, from: &offset)
                if case .needsMoreInput = part {
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

    /// The next thing in the input. A head's time begins with its first octet: empty lines ahead of
    /// it neither begin nor prolong any.
    private func nextPart(
        of input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        if case .receiving = state, offset < input.count { isBodyUntouched = false }
        let wasIdle = decoder.isIdle
        defer { if wasIdle, !decoder.isIdle { headBegins() } }
        return try decoder.decode(input, from: &offset)
    }

    private func headBegins() {
        headStartedAt = worker.now
        ownDeadline = worker.now &+ worker.configuration.headTimeoutNs
    }

    // Heads are moved on from here, not copied: a copy counts references to each of their parts.
    private func handle(
        _ part: consuming Decoded<RequestHead>, input: Span<UInt8>, offset: Int
    ) {
        switch consume part {
        case .needsMoreInput, .informational: break
        case .head(let head, let body):
            guard case .waiting = state else { return }
            begin(head, body: body, rest: input.extracting(offset..<input.count))
        case .body(let range):
            guard case .receiving(let relay) = state else { return }
            relay.receive(body: input.extracting(range))
        case .trailers(let trailers):
            guard case .receiving(let relay) = state else { return }
            relay.receive(trailers: trailers)
        case .end:
            guard case .receiving(let relay) = state else { return }
            state = .responding(relay)
            if hasClientEnded { relay.clientEnded() }
            relay.requestEnded()
        }
    }

    // MARK: Requests

    private func begin(
        _ head: consuming RequestHead, body: BodyLength, rest: Span<UInt8>
    ) {
        if let expectation = unmetExpectation {
            unmetExpectation = nil
            guard expectation.isRepeated(by: head) else { return close() }
        }
        isBodyUntouched = true
        isFresh = false
        do throws(WireError) {
            switch try resolve(head) {
            case .forward(let url):
                if worker.configuration.ownHostNames.haveHost(url.host) {
                    answerPage(head, path: url.pathText, body: body)
                } else {
                    forward(head, body: body, url: url)
                }
            case .tunnel(let host, let port):
                connect(head, host: host, port: port, early: rest)
            case .proxyItself(let path): answerPage(head, path: path, body: body)
            }
        } catch {
            let tap = openTap(head)
            answerLocally(.badRequest(error), to: head, tap: tap, failure: .malformed(error))
        }
    }

    /// The tap of a request whose head is complete.
    func openTap(_ head: RequestHead, url: RawURL? = nil) -> ExchangeTap {
        let tap = worker.openTap(
            on: connection, firstByteAt: headStartedAt, to: destination)
        tap.mark(.requestHead, at: worker.now)
        tap.begin(url: url, head: head)
        return tap
    }

    private func forward(
        _ head: consuming RequestHead, body: BodyLength, url: consuming RawURL
    ) {
        let tap = openTap(head, url: url)
        let maxForwards = MaxForwards(head)
        if maxForwards == .answer {
            return answerLocally(.lastRecipient(of: head), to: head, tap: tap, failure: nil)
        }
        let relay = ExchangeRelay(client: self, worker: worker, tap: tap)
        state = .receiving(relay)
        request = copy head
        response = ResponseProgress(isPersistenceWanted: head.isPersistent)
        let outgoing = OutgoingRequest(
            head: head, url: url, body: body, maxForwards: maxForwards, via: destination,
            worker: worker)
        relay.start(outgoing, prepared: destination.prepared)
    }

    /// Answers with a response of our own and closes: after a refusal nothing more is processed
    /// on the connection. Without a failure the exchange is complete.
    func answerLocally(
        _ response: LocalResponse, to head: RequestHead, tap: ExchangeTap,
        failure: ExchangeFailure?
    ) {
        let octets = response.octets(requestMethod: head.method, isPersistent: false)
        stream.write(octets)
        response.record(in: tap, to: head.method)
        worker.close(tap, failure == nil ? .complete : .failed, failure: failure)
        close()
    }

    /// Answers octets that are no request.
    private func refuse(_ error: WireError) {
        if case .receiving(let relay) = state { return relay.requestBroke(error) }
        answerUnread(.badRequest(error), failure: .malformed(error))
    }

    /// Answers a head that could not be read, and closes.
    private func answerUnread(_ response: LocalResponse, failure: ExchangeFailure) {
        // A body that its client sent although the request had been answered.
        guard unmetExpectation == nil else { return close() }
        let tap = openUnreadTap()
        stream.write(response.octets(requestMethod: .get, isPersistent: false))
        response.record(in: tap, to: .get)
        worker.close(tap, .failed, failure: failure)
        close()
    }

    /// The tap of a head of which only octets are known.
    private func openUnreadTap() -> ExchangeTap {
        let tap = worker.openTap(
            on: connection, firstByteAt: headStartedAt, to: destination)
        tap.begin(malformed: decoder.partialHead)
        return tap
    }

    // MARK: What the relay's side asks

    /// Whether a connection may not be kept alive because the proxy stops.
    var isStopping: Bool { isDraining || worker.isDraining }

    /// Whether every octet of the present request has come.
    var isRequestComplete: Bool {
        if case .responding = state { true } else { false }
    }

    /// Whether the client of a request with a body has sent its head and no more.
    var isBodyAwaited: Bool {
        if case .receiving = state { isBodyUntouched } else { false }
    }

    /// The response is with the client.
    func exchangeEnded(keepsAlive: Bool) {
        guard keepsAlive, isRequestComplete, !isStopping, !hasClientEnded || !held.isEmpty else {
            return close()
        }
        becomeIdle()
        if !held.isEmpty { pump() }
    }

    /// The server refused to say 100, and the client was told so. Clients either send the request
    /// again without asking (curl) or send the body all the same (Go): only the first goes on here.
    func expectationFailed(_ head: RequestHead) {
        guard isBodyAwaited, !isStopping, !hasClientEnded else { return close() }
        decoder = RequestDecoder(limits: worker.configuration.wireLimits)
        unmetExpectation = UnmetExpectation(head)
        becomeIdle()
    }

    /// The client must see that its response is cut short, and only a reset can show it.
    func abort() {
        leave()
        stream.flush()
        stream.abort()
    }

    /// What is said here authenticates the connection to a server: that is this client's alone from
    /// now on, and each ends with the other.
    func bind(to target: ConnectTarget) {
        affinity.onBoundLost = { [weak self] in self?.drain() }
        affinity.bind(to: target)
    }

    /// Where the recorder has no room, stops reading from the client until it has, even where the
    /// exchange that found out ends before. Returns whether it had none.
    func pauseForRecorder() -> Bool {
        guard worker.isRecorderCongested else { return false }
        guard !pauseReasons.contains(.recorder) else { return true }
        setPaused(.recorder, true)
        worker.whenRecorderDrains { [weak self] in self?.recorderDrained() }
        return true
    }

    private func recorderDrained() {
        setPaused(.recorder, false)
        switch state {
        case .receiving(let relay), .responding(let relay): relay.recorderDrained()
        case .waiting: if !held.isEmpty { pump() }
        case .handedOver, .closing: break
        }
    }

    /// Pauses or resumes the client for a reason.
    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let isToPause = pauseReasons.set(reason, isPaused)
        guard isReading else { return }
        if let isToPause { isToPause ? stream.pauseReading() : stream.resumeReading() }
        // These may last until a person decides.
        if !pauseReasons.isDisjoint(with: [.held, .pipelined]) { stream.watchForEnd() }
    }

    /// Gives the client's stream to another layer; returns what the client sent ahead.
    @discardableResult
    func handOver(to layer: any Supervised & DuplexStreamDelegate) -> [UInt8] {
        state = .handedOver
        worker.transport.release(affinity)
        worker.clients.replace(self, with: layer)
        stream.delegate = layer
        if !pauseReasons.isEmpty { stream.resumeReading() }
        defer { held = [] }
        return held
    }

    /// The client had ended its side before another layer took over, which will not hear of it.
    func tellOfEnd(_ layer: any DuplexStreamDelegate) {
        if hasClientEnded { layer.streamDidReachEnd(stream, isClean: true) }
    }

    func becomeIdle() {
        state = .waiting
        request = nil
        waitingSince = worker.now
        ownDeadline = waitingSince &+ worker.configuration.idleTimeoutNs
        // The server that could not follow has answered all the same.
        setPaused(.slowPeer, false)
    }

    // MARK: Endings

    func close() {
        leave()
        stream.close()
    }

    private func leave() {
        state = .closing
        held = []
        request = nil
        ownDeadline = .max
        worker.clients.remove(self)
        worker.transport.release(affinity)
        if case .server(let server) = destination { server.prepared?.discard() }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        switch state {
        // What came before waits for the recorder.
        case .waiting where !held.isEmpty: hasClientEnded = true
        case .waiting, .receiving: nothingMoreComes()
        case .responding(let relay):
            hasClientEnded = true
            relay.clientEnded()
        case .handedOver, .closing: break
        }
    }

    func streamPeerDidEnd(_ stream: any DuplexStream) {
        switch state {
        case .receiving(let relay): relay.clientEndedAhead()
        case .responding(let relay): relay.clientEnded()
        case .waiting, .handedOver, .closing: break
        }
    }

    /// The client has ended its side, and all that came before is decoded.
    private func nothingMoreComes() {
        switch state {
        case .waiting:
            if !decoder.isIdle { recordCutHead() }
            close()
        case .receiving(let relay): relay.clientVanished()
        case .responding, .handedOver, .closing: break
        }
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        switch state {
        case .waiting:
            if !decoder.isIdle { recordCutHead() }
            leave()
            stream.abort()
        case .receiving(let relay), .responding(let relay): relay.clientVanished()
        case .handedOver, .closing: break
        }
    }

    func streamDidDrain(_ stream: any DuplexStream) {
        switch state {
        case .receiving(let relay), .responding(let relay): relay.clientDrained()
        case .waiting, .handedOver, .closing: break
        }
    }

    private func recordCutHead() {
        guard unmetExpectation == nil else { return }
        worker.close(openUnreadTap(), .failed, failure: .clientClosedInHead)
    }

    // MARK: Supervised

    var deadline: Int64 {
        switch state {
        case .receiving(let relay), .responding(let relay): relay.deadline
        case .waiting, .handedOver, .closing: ownDeadline
        }
    }

    var idleSince: Int64? {
        if case .waiting = state, decoder.isIdle, held.isEmpty { waitingSince } else { nil }
    }

    func deadlinePassed(now: Int64) {
        switch state {
        case .waiting:
            guard !decoder.isIdle else { return close() }
            answerUnread(.requestTimeout, failure: .headTimedOut)
        case .receiving(let relay), .responding(let relay): relay.deadlinePassed()
        case .handedOver, .closing: ownDeadline = .max
        }
    }

    func drain() {
        isDraining = true
        if idleSince != nil { close() }
    }

    func terminate(_ reason: TerminationReason) {
        // Whatever answer is still given is the last one on this connection.
        isDraining = true
        switch state {
        case .waiting: close()
        case .receiving(let relay), .responding(let relay): relay.terminate(reason)
        case .handedOver, .closing: break
        }
    }
}
