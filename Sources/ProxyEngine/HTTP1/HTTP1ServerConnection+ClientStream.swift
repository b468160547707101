internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Sending responses to an HTTP/1 client.
extension HTTP1ServerConnection: ClientStream {
    struct ResponseProgress {
        /// Whether the client wants to keep the connection open after the response.
        var isPersistenceWanted = false
        /// How the body is framed; nil until the head has been sent.
        var framing: BodyLength?
        /// Whether another request may follow on the connection.
        var keepsAlive = false
        /// Whether a 100 (Continue) response was sent to the client.
        var wasToldToContinue = false
        /// Whether the client, still waiting for 100 (Continue), may send the request again.
        var mayBeRepeated = false
    }

    var streamID: StreamID? { nil }

    var namesServers: Bool { if case .proxy = destination { true } else { false } }

    var isCongested: Bool { stream.isCongested }

    /// HTTP/1.0 cannot name a transfer coding, so one that the proxy does not decode cannot be
    /// forwarded to its clients.
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure? {
        guard response.body == .untilClose, requestVersion < .http11,
            response.head.hasOpaqueTransferCoding
        else { return nil }
        return .codingUnknownToClient
    }

    func send(informational response: borrowing ForwardedResponse) {
        if response.head.status == 100 { self.response.wasToldToContinue = true }
        // HTTP/1.0 clients do not know interim responses (RFC 9110 §15.2).
        guard requestVersion >= .http11 else { return }
        write(response, isPersistent: true)
    }

    func send(_ response: borrowing ForwardedResponse, isLast: Bool) {
        let framing = recipient(isPersistent: false).framing(of: response.body)
        let mayBeRepeated = response.head.status == 417 && isWaitingToSendBody
        let keepsAlive =
            self.response.isPersistenceWanted && (isRequestComplete || mayBeRepeated)
            && !isStopping && framing != .untilClose && !isLast
        self.response.framing = framing
        self.response.keepsAlive = keepsAlive
        self.response.mayBeRepeated = mayBeRepeated
        write(response, isPersistent: keepsAlive)
    }

    /// Whether the client waits for 100 (Continue) before it sends its body. The only final
    /// response that asks for the request again is 417 (RFC 9110 §10.1.1); after any other the
    /// connection closes, because the proxy could not tell whether the body or another request
    /// comes next.
    private var isWaitingToSendBody: Bool {
        isBodyAwaited && !response.wasToldToContinue && request?.expectsContinue == true
    }

    private func write(_ response: borrowing ForwardedResponse, isPersistent: Bool) {
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(response, to: recipient(isPersistent: isPersistent), into: &bytes)
        stream.write(bytes)
    }

    private var requestVersion: HTTPVersion { request?.version ?? .http11 }

    private func recipient(isPersistent: Bool) -> HTTP1Recipient {
        HTTP1Recipient(
            version: requestVersion, requestMethod: request?.method ?? .get,
            isPersistent: isPersistent)
    }

    func send(body bytes: Span<UInt8>) {
        guard response.framing == .chunked else { return stream.write(bytes) }
        stream.write(chunk: bytes)
    }

    func endBody(trailers: HeaderFields?) {
        if response.framing == .chunked { stream.writeLastChunk(trailers: trailers) }
    }

    func end() {
        // If the request is still arriving, the server has answered without reading all of it: the
        // connection cannot be reused, and closing it tells the client to stop sending.
        if response.keepsAlive, response.mayBeRepeated, !isRequestComplete, let request {
            expectationFailed(request)
        } else {
            exchangeEnded(keepsAlive: response.keepsAlive)
        }
    }

    var requestMethod: HTTPMethod { request?.method ?? .get }

    func recordedHead(of response: ForwardedResponse) -> ResponseHead { response.head }

    func answer(_ response: LocalResponse) {
        let isPersistent = self.response.isPersistenceWanted && isRequestComplete && !isStopping
        stream.write(response.bytes(requestMethod: requestMethod, isPersistent: isPersistent))
        exchangeEnded(keepsAlive: isPersistent)
    }

    /// HTTP/1 has no streams to reset.
    func forwardReset(_ code: HTTP2ErrorCode) -> Bool { false }

    func cutShort(_ cause: CutCause) {
        // If the response has a length or ends with a last chunk, the client notices that it is
        // incomplete, and receives everything sent before. A body that ends with its connection
        // needs a reset.
        if let framing = response.framing, framing != .untilClose, cause != .clientGone {
            close()
        } else {
            abort()
        }
    }

    func endUnanswered() { close() }

    /// Protocol names are compared without regard to case (RFC 9110 §7.8).
    func agreedProtocol(in response: ResponseHead) -> String? {
        guard isRequestComplete, let request else { return nil }
        let offered = request.forwardedUpgradeProtocols
        let chosen = response.upgradeProtocols
        let isOffered = { (name: String) in
            offered.contains { ASCII.equalsIgnoringCase($0.utf8Span.span, name.utf8Span.span) }
        }
        guard let name = chosen.first, chosen.allSatisfy(isOffered) else { return nil }
        return name
    }

    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?
    ) {
        write(response, isPersistent: true)
        let name = response.head.upgradeProtocols.first ?? ""
        let observer = connection.observer(
            of: name, request: request?.fields ?? HeaderFields(), response: response.head.fields,
            tap: tap)
        let tunnel = TunnelLayer(
            client: stream, server: server, sentFirst: early.array, connection: connection,
            tap: tap, pace: pace, observer: observer)
        handOver(to: tunnel)
    }
}

/// What the machine of an exchange calls.
extension HTTP1ServerConnection {
    var isStopping: Bool { isDraining || connection.clients.isDraining }

    var isRequestComplete: Bool {
        if case .responding = state { true } else { false }
    }

    /// Whether the client of a request with a body has sent only its head.
    var isBodyAwaited: Bool {
        if case .receiving = state { isBodyUntouched } else { false }
    }

    /// The whole response has been sent to the client.
    func exchangeEnded(keepsAlive: Bool) {
        guard keepsAlive, isRequestComplete, !isStopping, !hasClientEnded || !unparsed.isEmpty
        else { return close() }
        becomeIdle()
        if !unparsed.isEmpty { pump() }
    }

    /// The server answered 417, which was forwarded to the client. Some clients then send the
    /// request again without the expectation (curl), others send the body nevertheless (Go): only
    /// the former can continue.
    func expectationFailed(_ head: RequestHead) {
        guard isBodyAwaited, !isStopping, !hasClientEnded else { return close() }
        decoder = RequestDecoder(limits: settings.configuration.wireLimits)
        unmetExpectation = UnmetExpectation(head)
        becomeIdle()
    }

    /// Resets the connection: only a reset can show the client that its response is incomplete.
    func abort() {
        leave()
        stream.flush()
        stream.abort()
    }

    func bind(to target: ConnectTarget) {
        affinity.onBoundLost = { [weak self] in self?.drain() }
        affinity.bind(to: target)
    }

    /// The pause lasts even if the exchange that noticed it ends earlier.
    func pauseForRecorder() -> Bool {
        guard recorder.isCongested else { return false }
        guard !pauseReasons.contains(.recorder) else { return true }
        setPaused(.recorder, true)
        recorder.whenDrained { [weak self] in self?.recorderDrained() }
        return true
    }

    private func recorderDrained() {
        setPaused(.recorder, false)
        switch state {
        case .receiving(let machine), .responding(let machine): machine.recorderDrained()
        case .waiting: if !unparsed.isEmpty { pump() }
        case .admitting, .refusing, .handedOver, .closing: break
        }
    }

    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let isToPause = pauseReasons.set(reason, isPaused)
        guard isReading else { return }
        if let isToPause { isToPause ? stream.pauseReading() : stream.resumeReading() }
        // These pauses may last until a person decides.
        if !pauseReasons.isDisjoint(with: [.undecided, .pipelined]) { stream.watchForEnd() }
    }

    /// Lets another layer read on, beginning with `early` and what is unparsed.
    func handOver(to layer: any ClientLayer, early: [UInt8] = []) {
        state = .handedOver
        tunnels.transport.release(affinity)
        let unread = Unread(bytes: early + unparsed, hasEnded: hasClientEnded)
        unparsed = []
        if !pauseReasons.isEmpty { stream.resumeReading() }
        connection.clients.replace(self, with: layer, over: stream, unread: unread)
    }

    func becomeIdle() {
        state = .waiting
        request = nil
        user = nil
        waitingSince = connection.now
        ownDeadline = waitingSince &+ settings.configuration.idleTimeoutNs
        // The server that was too slow to take the body has answered nevertheless.
        setPaused(.slowPeer, false)
    }
}
