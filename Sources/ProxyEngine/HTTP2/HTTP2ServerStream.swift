internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// One stream of a client's connection: a request and its relay.
final class HTTP2ServerStream {
    private enum State {
        case begun
        /// Processing has not started; what arrives is kept.
        case waiting(Waiting)
        /// The field section is not a valid head; the answer waits until the recorder has room.
        case refusing(MalformedMessage)
        /// The request is for one of the proxy's own pages and is not complete.
        case asking(RequestHead, path: String)
        case relaying(ExchangeRelay)
        /// A tunnel (RFC 9113 §8.5).
        case tunnel(HTTP2ByteStream)
        case over
    }

    /// A request that waits until the recorder has room.
    private struct Waiting {
        var head: RequestHead
        var length: BodyLength
        var body: [UInt8] = []
        var trailers: HeaderFields?
    }

    let id: StreamID
    private let owner: HTTP2ServerConnection
    /// The request's head; nil if it was not valid.
    private let request: RequestHead?
    private let begunAt: Int64
    /// Records the stream's frames; nil if none are kept.
    private let frames: FrameLog?
    private var state = State.begun
    /// Whether every byte of the request has arrived.
    private var isRequestComplete = false
    /// The code of the reset sent after the response, because the rest of the request is not
    /// wanted.
    private var finalCode = HTTP2ErrorCode.noError
    private var pauseReasons: PauseReasons = []
    /// The check of its user; nil if it needs none, or none is running.
    private var admission: Admission?
    /// The user whose request this is; nil if requests need none.
    private var user: String?
    /// The request for another protocol; nil if this is an ordinary request.
    private let extendedConnect: ExtendedConnect?

    init(_ id: StreamID, on owner: HTTP2ServerConnection, _ request: RequestHead?) {
        self.id = id
        self.owner = owner
        self.request = request
        extendedConnect = request.flatMap { ExtendedConnect($0, worker: owner.worker) }
        frames = owner.link.frameLog(of: id)
        begunAt = frames?.startedAt ?? owner.worker.now
    }

    private var worker: ProxyWorker { owner.worker }
    var link: HTTP2Link { owner.link }

    private var relay: ExchangeRelay? {
        if case .relaying(let relay) = state { relay } else { nil }
    }

    // MARK: Input

    /// Takes the request's head. An exchange may consist of its row alone, so the recorder needs
    /// room before one starts.
    func receive(_ head: RequestHead, body: BodyLength) {
        admission = worker.admission(of: head, on: connection, to: owner.destination)
        let head = owner.destination.isProxy ? head.withoutProxyCredentials : head
        state = .waiting(Waiting(head: head, length: body))
        guard let admission else {
            if !pauseForRecorder() { begin(head, body: body) }
            return
        }
        if let outcome = admission.outcome { return decided(outcome) }
        setPaused(.held, true)
        admission.whenDecided = { [weak self] in self?.decided($0) }
    }

    /// Its user has been checked.
    private func decided(_ outcome: Admission.Outcome) {
        admission = nil
        setPaused(.held, false)
        guard case .waiting(let waiting) = state else { return }
        switch outcome {
        case .admitted(let name):
            user = name
            resume(waiting)
        case .refused(let refusal):
            let tap = openTap(waiting.head, url: owner.destination.url(of: waiting.head))
            answer(refusal.answer, recordingIn: tap, failure: refusal.failure)
        }
    }

    /// Continues with a request that has waited.
    private func resume(_ waiting: Waiting) {
        guard !pauseForRecorder() else { return }
        begin(waiting.head, body: waiting.length)
        if !waiting.body.isEmpty { receive(body: waiting.body.span) }
        if let trailers = waiting.trailers { receive(trailers: trailers) }
        if isRequestComplete { requestEnded() }
    }

    private func begin(_ head: RequestHead, body: BodyLength) {
        do throws(WireError) {
            switch try EffectiveTarget.resolve(head, via: owner.destination.receiver) {
            case .forward(let url):
                if worker.configuration.ownHostNames.haveHost(url.host) || isOwn(url) {
                    ask(head, path: url.pathText, body: body)
                } else {
                    forward(head, body: body, url: url)
                }
            case .tunnel(let host, let port): connect(head, host: host, port: port)
            case .proxyItself(let path): ask(head, path: path, body: body)
            }
        } catch {
            refuse(head, .badRequest(error), .malformed(error))
        }
    }

    func receive(body octets: Span<UInt8>) {
        switch state {
        case .waiting(var waiting):
            state = .begun  // releases the array, so that appending does not copy it
            octets.withUnsafeBufferPointer { waiting.body.append(contentsOf: $0) }
            state = .waiting(waiting)
        case .relaying(let relay):
            if let extendedConnect {
                extendedConnect.hold(octets)
            } else {
                relay.receive(body: octets)
            }
        case .tunnel(let stream): stream.receive(octets)
        case .begun, .refusing, .asking, .over: break
        }
    }

    func receive(trailers: HeaderFields) {
        if case .waiting(var waiting) = state {
            waiting.trailers = trailers
            state = .waiting(waiting)
        } else {
            relay?.receive(trailers: trailers)
        }
    }

    func requestEnded() {
        isRequestComplete = true
        switch state {
        case .asking(let head, let path): answerPage(head, path: path)
        case .relaying where extendedConnect != nil: break
        case .relaying(let relay): relay.requestEnded()
        case .tunnel(let stream): stream.receivedEnd()
        case .begun, .waiting, .refusing, .over: break
        }
    }

    /// The request turned out to be malformed.
    func requestBroke(_ error: WireError) {
        finalCode = .protocolError
        switch state {
        case .waiting(let waiting): refuse(waiting.head, .badRequest(error), .malformed(error))
        case .asking(let head, _): refuse(head, .badRequest(error), .malformed(error))
        case .relaying(let relay): relay.requestBroke(error)
        case .tunnel(let stream): stream.abort()
        case .begun, .refusing, .over: break
        }
    }

    /// The stream was reset, by the client or by the proxy because the client broke a rule.
    func wasReset(_ code: HTTP2ErrorCode, isOurs: Bool) {
        let failure = ExchangeFailure.clientReset(code, isOurs: isOurs)
        switch state {
        case .relaying(let relay):
            relay.tap.setReset(.client, isOurs: isOurs, code)
            relay.clientReset(code, failure)
        case .waiting(let waiting):
            let tap = openTap(waiting.head)
            tap.setReset(.client, isOurs: isOurs, code)
            close(tap, .failed, failure: failure, now: worker.now)
            over()
        case .refusing(let message): recordRefusal(of: message)
        case .tunnel(let stream):
            stream.broke(HTTP2ServerStream.streamLost, reset: (code, isOurs))
        case .begun, .asking, .over: over()
        }
    }

    func receive(priority value: [UInt8]) { relay?.receive(priority: value) }

    /// The connection is gone, or the client does not want an answer any more.
    func vanished(_ failure: ExchangeFailure = .clientClosed) {
        switch state {
        case .relaying(let relay): relay.clientVanished()
        case .waiting(let waiting):
            let tap = openTap(waiting.head)
            let failure = connection.endedByActor(recordingIn: tap) ?? failure
            close(tap, .failed, failure: failure, now: worker.now)
            over()
        case .refusing(let message): recordRefusal(of: message)
        case .tunnel(let stream): stream.broke(HTTP2ServerStream.streamLost)
        case .begun, .asking, .over: over()
        }
    }

    func drained() {
        if case .tunnel(let stream) = state { stream.drained() } else { relay?.clientDrained() }
    }

    // MARK: Requests

    private func forward(_ head: RequestHead, body: BodyLength, url: RawURL) {
        if let extendedConnect, !extendedConnect.findRoom() {
            return refuse(head, .badGateway(.overloaded), .overloaded)
        }
        let tap = openTap(head, url: url)
        let maxForwards = MaxForwards(head)
        if maxForwards == .answer {
            return answer(.lastRecipient(of: head), recordingIn: tap, failure: nil)
        }
        let relay = ExchangeRelay(
            client: self, worker: worker, tap: tap,
            references: owner.destination.backReferences(for: head))
        state = .relaying(relay)
        let outgoing = OutgoingRequest(
            head: head, url: url, body: body, maxForwards: maxForwards, via: owner.destination,
            worker: worker)
        if namesServers {
            owner.note(
                worker.routed(outgoing.target, isRequest: false, for: owner.connection))
        }
        relay.start(outgoing, prepared: owner.destination.prepared)
        if extendedConnect != nil {
            // What follows the head waits until the server has agreed.
            setPaused(.pipelined, true)
            self.relay?.requestEnded()
        }
    }

    /// Opens a tunnel, which proceeds like one of HTTP/1, with its own client connection record.
    private func connect(_ head: RequestHead, host: String, port: UInt16) {
        guard worker.configuration.isConnectPortAllowed(port) else {
            return refuse(head, .connectPortRefused, .portRefused(port))
        }
        guard worker.clients.hasRoom(atMost: worker.configuration.connectionCountMax) else {
            return refuse(head, .badGateway(.overloaded), .overloaded)
        }
        let connection = owner.connection.forTunnel(now: worker.now)
        connection.user = user
        let stream = HTTP2ByteStream(id, of: link) { [weak self] in self?.over() }
        state = .tunnel(stream)
        let opening = TunnelOpening(
            ClientTunnel(
                client: stream, connection: connection, worker: worker,
                negotiation: HTTP2ConnectNegotiation(
                    request: ConnectNegotiation(
                        host: host, port: port, head: head, firstByteAt: begunAt,
                        headAt: worker.now),
                    link: link, stream: id)))
        worker.clients.add(opening)
        stream.delegate = opening
        opening.start(early: [UInt8]().span)
    }

    private func openTap(_ head: RequestHead, url: RawURL? = nil) -> ExchangeTap {
        let tap = openTap()
        tap.mark(.requestHead, at: begunAt)
        tap.begin(url: url, head: head)
        return tap
    }

    private func openTap() -> ExchangeTap {
        let tap = worker.openTap(
            on: owner.connection, firstByteAt: begunAt, to: owner.destination)
        if let user { tap.setUser(user) }
        tap.frames = frames
        tap.setHTTP2 { $0.clientStream = id }
        return tap
    }

    // MARK: Local responses

    /// Takes a request for one of the proxy's pages, which is answered once the request is
    /// complete.
    private func ask(_ head: RequestHead, path: String, body: BodyLength) {
        state = .asking(head, path: path)
        if body == .none || body == .exactly(0) || extendedConnect != nil {
            answerPage(head, path: path)
        }
    }

    private func answerPage(_ head: RequestHead, path: String) {
        guard PageAccess.isAllowed(head, ownHostNames: worker.configuration.ownHostNames) else {
            return refuse(head, .pageRefused, .pageRefused)
        }
        write(
            worker.pages.answer(
                method: head.method, path: path,
                authority: PageAccess.authority(
                    head, on: owner.connection, worker.configuration.ownHostNames)))
        over()
    }

    private func refuse(
        _ head: RequestHead, _ response: LocalResponse, _ failure: ExchangeFailure
    ) {
        answer(response, recordingIn: openTap(head), failure: failure)
    }

    private func answer(
        _ response: LocalResponse, recordingIn tap: ExchangeTap, failure: ExchangeFailure?
    ) {
        write(response)
        response.record(in: tap, for: self)
        close(tap, failure == nil ? .complete : .failed, failure: failure, now: worker.now)
        over()
    }

    /// Answers an invalid head, then resets the stream with an error code. The recorder needs room
    /// for its row, as for any request.
    func refuse(_ message: MalformedMessage) {
        state = .refusing(message)
        guard !pauseForRecorder() else { return }
        let response = LocalResponse.badRequest(message.error)
        finalCode = .protocolError
        write(response)
        recordRefusal(of: message, response)
    }

    /// Records an invalid head, and its answer if one was sent.
    func recordRefusal(of message: MalformedMessage, _ response: LocalResponse? = nil) {
        let tap = openTap()
        let isSecret = owner.destination.isProxy
        tap.begin(
            malformed: isSecret ? message.fieldsWithoutProxyCredentials : message.fields,
            codings: message.codings)
        response?.record(in: tap, for: self)
        close(tap, .failed, failure: .malformed(message), now: worker.now)
        over()
    }

    /// Sends a response of the proxy. The rest of the request is not wanted.
    private func write(_ response: LocalResponse) {
        link.send(response.forwarded(isPersistent: true), on: id)
        if requestMethod != .head { link.send(body: response.body.span, on: id) }
        link.end(id, trailers: nil, thenReset: finalCode)
    }

    // MARK: Endings

    /// The response has been sent, or will not come. The rest of the request is not wanted (RFC
    /// 9113 §8.1).
    private func over() {
        if case .over = state { return }
        state = .over
        extendedConnect?.giveUp()
        owner.ended(self)
    }

    var deadline: Int64 {
        if case .asking = state { return begunAt &+ worker.configuration.idleTimeoutNs }
        return relay?.deadline ?? .max
    }

    func deadlinePassed() {
        guard case .asking = state else { return relay?.deadlinePassed() ?? () }
        link.reset(id, .cancel)
        over()
    }

    func terminate(_ reason: TerminationReason) {
        if let relay { return relay.terminate(reason) }
        // A tunnel is ended by its own layer.
        if case .tunnel = state { return }
        link.reset(id, .cancel)
        vanished(.terminated(reason))
    }

    func recorderDrained() {
        setPaused(.recorder, false)
        switch state {
        case .waiting(let waiting): if admission == nil { resume(waiting) }
        case .refusing(let message): refuse(message)
        default: relay?.recorderDrained()
        }
    }
}

extension HTTP2ServerStream: ClientStream {
    var streamID: StreamID? { id }
    var connection: ClientConnection { owner.connection }
    var affinity: ConnectionAffinity { owner.affinity }
    var isCongested: Bool { link.isCongested(id) }

    var namesServers: Bool { if case .proxy = owner.destination { true } else { false } }

    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        guard let isToPause = pauseReasons.set(reason, isPaused) else { return }
        link.setReceivingPaused(id, isToPause)
    }

    func pauseForRecorder() -> Bool {
        guard owner.pauseForRecorder() else { return false }
        setPaused(.recorder, true)
        return true
    }

    /// Authentication schemes that authenticate a connection do not work over HTTP/2.
    func bind(to target: ConnectTarget) {}

    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure? {
        // The client would read a 2xx status as agreement to switch, which it is not.
        if extendedConnect != nil, 200..<300 ~= response.head.status { return .upgradePassedOver }
        return response.body == .untilClose && response.head.hasOpaqueTransferCoding
            ? .codingUnknownToClient : nil
    }

    func send(informational response: borrowing ForwardedResponse) {
        link.send(informational: response, on: id)
    }

    func send(_ response: borrowing ForwardedResponse, isLast: Bool) {
        link.send(response, on: id)
    }

    func send(body octets: Span<UInt8>) { link.send(body: octets, on: id) }

    func endBody(trailers: HeaderFields?) {
        link.end(id, trailers: trailers, thenReset: finalCode)
    }

    func end() { over() }

    var requestMethod: HTTPMethod { request?.method ?? .get }

    func recordedHead(of response: ForwardedResponse) -> ResponseHead {
        response.http2Head(to: requestMethod)
    }

    func answer(_ response: LocalResponse) {
        write(response)
        over()
    }

    func cutShort(_ cause: CutCause) {
        switch cause {
        case .serverReset(let code): link.reset(id, code)
        case .clientGone, .failure: link.reset(id, .internalError)
        }
        over()
    }

    func passOn(reset code: HTTP2ErrorCode) -> Bool {
        link.reset(id, code)
        over()
        return true
    }

    func close(
        _ tap: ExchangeTap, _ state: ExchangeState, failure: ExchangeFailure?, now: Int64
    ) {
        owner.close(tap, of: id, state, failure: failure, now: now)
    }

    /// The server may have acted on the request: the client must not read the reset as a refusal.
    func endUnanswered() {
        link.reset(id, .internalError)
        over()
    }

    /// HTTP/2 has no Upgrade (RFC 9113 §8.6), but extended CONNECT. The server's side has already
    /// checked that the response agrees.
    func agreedProtocol(in response: ResponseHead) -> String? { extendedConnect?.name }

    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?
    ) {
        guard let extendedConnect else { return server.abort() }
        let head = response.head
        link.send(
            ForwardedResponse(
                head: head.status == 101 ? head.asOpenedStream : head, body: .untilClose), on: id)
        let stream = HTTP2ByteStream(id, of: link, .otherProtocol) { [weak self] in self?.over() }
        state = .tunnel(stream)
        let tunnel = extendedConnect.tunnel(
            stream, joining: server, head, on: connection, tap: tap, pace: pace
        ) { [owner, id] state, failure in
            owner.close(tap, of: id, state, failure: failure, now: owner.worker.now)
        }
        setPaused(.pipelined, false)
        extendedConnect.start(tunnel, early: early)
        if isRequestComplete { stream.receivedEnd() }
    }
}
