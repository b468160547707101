internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// One stream of a client's connection: a request and its machine.
final class HTTP2ServerStream {
    enum State {
        case begun
        /// Processing has not started; what arrives is kept.
        case waiting(Waiting)
        /// The field section is not a valid head; the answer waits until the recorder has room.
        case refusing(MalformedMessage)
        /// The request is for one of the proxy's own pages and is not complete.
        case asking(RequestHead, path: String)
        case exchanging(ExchangeMachine)
        /// A tunnel (RFC 9113 §8.5).
        case tunnel(HTTP2ByteStream)
        case over
    }

    /// A request that waits until the recorder has room.
    struct Waiting {
        var head: RequestHead
        var length: BodyLength
        var body: [UInt8] = []
        var trailers: HeaderFields?
    }

    let id: StreamID
    let owner: HTTP2ServerConnection
    /// The request's head; nil if it was not valid.
    let request: RequestHead?
    private let begunAt: Int64
    /// Records the stream's frames; nil if none are kept.
    let frames: FrameLog?
    var state = State.begun
    var isRequestComplete = false
    /// The code of the reset after the response: the rest of the request is not wanted.
    var finalCode = HTTP2ErrorCode.noError
    var pauseReasons: PauseReasons = []
    /// The check of its user; nil if it needs none, or none is running.
    private var admission: Admission?
    /// The user whose request this is; nil if requests need none.
    private var user: String?
    /// The request for another protocol; nil if this is an ordinary request.
    let extendedConnect: ExtendedConnect?

    init(_ id: StreamID, on owner: HTTP2ServerConnection, _ request: RequestHead?) {
        self.id = id
        self.owner = owner
        self.request = request
        extendedConnect = request.flatMap { ExtendedConnect($0, on: owner.connection) }
        frames = owner.link.frameLog(of: id)
        begunAt = frames?.startedAt ?? owner.connection.now
    }

    var link: HTTP2Link { owner.link }

    private var machine: ExchangeMachine? {
        if case .exchanging(let machine) = state { machine } else { nil }
    }

    // MARK: Input

    /// Takes the request's head. An exchange may consist of its row alone, so the recorder needs
    /// room before one starts.
    func receive(_ head: RequestHead, body: BodyLength) {
        admission = owner.parts.access.admission(of: head, on: connection, to: owner.destination)
        if head.fields.hasProxyCredentials { frames?.forgetBytes() }
        let head = head.withoutProxyCredentials
        state = .waiting(Waiting(head: head, length: body))
        guard let admission else {
            if !pauseForRecorder() { begin(head, body: body) }
            return
        }
        if let outcome = admission.outcome { return decided(outcome) }
        setPaused(.undecided, true)
        admission.whenDecided = { [weak self] in self?.decided($0) }
    }

    private func decided(_ outcome: Admission.Outcome) {
        admission = nil
        setPaused(.undecided, false)
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

    private func resume(_ waiting: Waiting) {
        guard !pauseForRecorder() else { return }
        begin(waiting.head, body: waiting.length)
        if !waiting.body.isEmpty { receive(body: waiting.body.span) }
        if let trailers = waiting.trailers { receive(trailers: trailers) }
        if isRequestComplete { requestEnded() }
    }

    func begin(_ head: RequestHead, body: BodyLength) {
        do throws(WireError) {
            switch try EffectiveTarget.resolve(head, via: owner.destination.receiver) {
            case .forward(let url):
                if owner.settings.configuration.ownHostNames.haveHost(url.host) || isOwn(url) {
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

    func receive(body bytes: Span<UInt8>) {
        switch state {
        case .waiting(var waiting):
            state = .begun  // releases the array, so that appending does not copy it
            bytes.withUnsafeBufferPointer { waiting.body.append(contentsOf: $0) }
            state = .waiting(waiting)
        case .exchanging(let machine):
            if let extendedConnect {
                extendedConnect.buffer(bytes)
            } else {
                machine.receive(body: bytes)
            }
        case .tunnel(let stream): stream.receive(bytes)
        case .begun, .refusing, .asking, .over: break
        }
    }

    func receive(trailers: HeaderFields) {
        if trailers.hasProxyCredentials { frames?.forgetBytes() }
        if case .waiting(var waiting) = state {
            waiting.trailers = trailers
            state = .waiting(waiting)
        } else {
            machine?.receive(trailers: trailers)
        }
    }

    func requestEnded() {
        isRequestComplete = true
        switch state {
        case .asking(let head, let path): answerPage(head, path: path)
        case .exchanging where extendedConnect != nil: break
        case .exchanging(let machine): machine.requestEnded()
        case .tunnel(let stream): stream.receivedEnd()
        case .begun, .waiting, .refusing, .over: break
        }
    }

    func requestBroke(_ error: WireError) {
        finalCode = .protocolError
        switch state {
        case .waiting(let waiting): refuse(waiting.head, .badRequest(error), .malformed(error))
        case .asking(let head, _): refuse(head, .badRequest(error), .malformed(error))
        case .exchanging(let machine): machine.requestBroke(error)
        case .tunnel(let stream): stream.abort()
        case .begun, .refusing, .over: break
        }
    }

    /// The stream was reset, by the client or by the proxy because the client broke a rule.
    func wasReset(_ code: HTTP2ErrorCode, isOurs: Bool) {
        let failure = ExchangeFailure.clientReset(code, isOurs: isOurs)
        switch state {
        case .exchanging(let machine):
            machine.tap.setReset(.client, isOurs: isOurs, code)
            machine.clientReset(code, failure)
        case .waiting(let waiting):
            let tap = openTap(waiting.head)
            tap.setReset(.client, isOurs: isOurs, code)
            tap.end(.failed, failure: failure, at: connection.now)
            over()
        case .refusing(let message): recordRefusal(of: message)
        case .tunnel(let stream): stream.broke(HTTP2ServerStream.streamLost, reset: (code, isOurs))
        case .begun, .asking, .over: over()
        }
    }

    func receive(priority value: [UInt8]) { machine?.receive(priority: value) }

    /// The connection is gone, or the client does not want an answer any more.
    func vanished(_ failure: ExchangeFailure = .clientClosed) {
        switch state {
        case .exchanging(let machine): machine.clientVanished()
        case .waiting(let waiting):
            let tap = openTap(waiting.head)
            let failure = connection.endedByActor(recordingIn: tap) ?? failure
            tap.end(.failed, failure: failure, at: connection.now)
            over()
        case .refusing(let message): recordRefusal(of: message)
        case .tunnel(let stream): stream.broke(HTTP2ServerStream.streamLost)
        case .begun, .asking, .over: over()
        }
    }

    func drained() {
        if case .tunnel(let stream) = state { stream.drained() } else { machine?.clientDrained() }
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
        let machine = ExchangeMachine(
            client: self, ports: owner.parts.ports, tap: tap,
            references: owner.destination.backReferences(for: head))
        state = .exchanging(machine)
        let outgoing = OutgoingRequest(
            head: head, url: url, body: body, maxForwards: maxForwards, via: owner.destination,
            settings: owner.settings)
        if namesServers { owner.note(connection.routed(outgoing.target, isRequest: false)) }
        machine.start(consume outgoing, prepared: owner.destination.prepared)
        if extendedConnect != nil {
            // What follows the head waits until the server has agreed.
            setPaused(.pipelined, true)
            self.machine?.requestEnded()
        }
    }

    /// Opens a tunnel, which proceeds like one of HTTP/1, with its own client connection record.
    private func connect(_ head: RequestHead, host: String, port: UInt16) {
        guard owner.settings.configuration.isConnectPortAllowed(port) else {
            return refuse(head, .connectPortRefused, .portRefused(port))
        }
        guard
            connection.clients.hasRoom(atMost: owner.settings.configuration.connectionCountMax)
        else { return refuse(head, .badGateway(.overloaded), .overloaded) }
        let connection = owner.connection.forTunnel()
        connection.user = user
        let stream = HTTP2ByteStream(id, of: link) { [weak self] in self?.over() }
        state = .tunnel(stream)
        let opening = TunnelOpening(
            ClientTunnel(
                client: stream, connection: connection, parts: owner.tunnels,
                negotiation: HTTP2ConnectNegotiation(
                    request: ConnectNegotiation(
                        host: host, port: port, head: head, firstByteAt: begunAt,
                        headAt: connection.now),
                    link: link, stream: id)))
        connection.clients.begin(opening, over: stream)
    }

    func openTap(_ head: RequestHead, url: RawURL? = nil) -> ExchangeTap {
        let tap = openTap()
        tap.begin(url: url, head: head, at: begunAt)
        return tap
    }

    func openTap() -> ExchangeTap {
        let tap = connection.openTap(firstByteAt: begunAt, events: owner.destination.events)
        if let user { tap.setUser(user) }
        tap.frames = frames
        if frames != nil || owner.connection.isPaced { tap.departure = self }
        tap.setHTTP2 { $0.clientStream = id }
        return tap
    }

    // MARK: Endings

    /// The response was sent or will not come: no more of the request is wanted (RFC 9113 §8.1).
    func over() {
        if case .over = state { return }
        state = .over
        extendedConnect?.giveUp()
        owner.ended(self)
    }

    var deadline: Int64 {
        if case .asking = state { return begunAt &+ owner.settings.configuration.idleTimeoutNs }
        return machine?.deadline ?? .max
    }

    func deadlinePassed() {
        guard case .asking = state else { return machine?.deadlinePassed() ?? () }
        link.reset(id, .cancel)
        over()
    }

    func terminate(_ reason: TerminationReason) {
        if let machine { return machine.terminate(reason) }
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
        default: machine?.recorderDrained()
        }
    }
}
