internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// One request passed on to its server and the response passed back, with a copy for the tap.
///
/// Octets go through as they come, in both directions; each side is paused while the other, or the
/// recorder, cannot follow.
final class ProxiedExchange: ClientExchangeDelegate {
    private enum ResponseState {
        case awaited
        case streaming(BodyLength)
        case finished
    }

    private unowned let inbound: InboundHTTP
    private let worker: ProxyWorker
    private let head: RequestHead
    private let url: RawURL
    private let requestBody: BodyLength
    private let maxForwards: MaxForwards
    let tap: ExchangeTap
    private var upstream: ClientExchange?
    private var response: ResponseState = .awaited
    private var keepsAlive = false
    /// Whether the client was told to go on and send its body.
    private var wasToldToContinue = false
    /// Whether the client, still waiting for 100, may send the request again on its connection.
    private var mayBeRepeated = false
    private var requestTrailers: HeaderFields?
    private var responseTrailers: HeaderFields?
    private var upstreamPauses: PauseReasons = []

    init(
        inbound: InboundHTTP, head: consuming RequestHead, body: BodyLength,
        url: consuming RawURL, maxForwards: MaxForwards, tap: ExchangeTap
    ) {
        self.inbound = inbound
        worker = inbound.worker
        self.head = head
        self.url = url
        requestBody = body
        self.maxForwards = maxForwards
        self.tap = tap
    }

    private var now: Int64 { worker.now }

    // MARK: Request

    func start() {
        var options = ForwardedRequest.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if case .forward(let count) = maxForwards { options.maxForwards = count }
        options.keepsHost = worker.configuration.keepsHost
        let request = OutgoingRequest(
            target: target,
            message: ForwardedRequest(
                head: head, url: url, body: requestBody, options: options))
        if head.fields.authenticateConnection { inbound.bind(to: request.target) }
        upstream = worker.transport.send(
            request, prepared: prepared, affinity: inbound.affinity, delegate: self)
    }

    /// Where the request goes: in a tunnel always to the tunnel's end, whatever Host says.
    private var target: ConnectTarget {
        switch inbound.destination {
        case .proxy:
            ConnectTarget(
                host: url.host, port: url.port,
                tls: url.scheme == "https" ? policy(host: url.host, serverName: nil) : nil)
        case .server(let server):
            ConnectTarget(
                host: server.host, port: server.port,
                tls: server.scheme == "https"
                    ? policy(host: server.host, serverName: server.serverName) : nil)
        }
    }

    private func policy(host: String, serverName: String?) -> TLSPolicy {
        TLSPolicy.proxied(
            host: host, serverName: serverName,
            isVerified: worker.configuration.isVerificationRequired(host, url.port))
    }

    private var prepared: PreparedConnection? {
        if case .server(let server) = inbound.destination { server.prepared } else { nil }
    }

    func sendBody(_ octets: Span<UInt8>) {
        tap.appendRequestBody(octets)
        guard let upstream else { return }
        upstream.sendBody(octets)
        if upstream.isCongested { inbound.setPaused(.slowPeer, true) }
        pauseForRecorder()
    }

    func noteTrailers(_ trailers: HeaderFields) { requestTrailers = trailers }

    /// The request's last octet has come.
    func requestEnded() {
        tap.mark(.requestLastByte, at: now)
        tap.endRequest(trailers: requestTrailers)
        upstream?.finishBody(trailers: requestTrailers)
        if case .finished = response { inbound.exchangeEnded(keepsAlive: keepsAlive) }
    }

    /// The client's octets ceased to be HTTP in the middle of the body.
    func requestBroke(_ error: WireError) {
        giveUp(.malformed(error), answer: .badRequest(error))
    }

    // MARK: Response

    func exchange(
        _ exchange: ClientExchange, didSendHead octets: [UInt8], notes: ForwardingNotes
    ) {
        tap.noteForwarding(notes, head: octets)
    }

    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool
    ) {
        tap.setServerConnection(facts.id)
        tap.setTimeline { timeline in
            timeline.connectionReused = isReused
            if !isReused { facts.timings.write(to: &timeline) }
            timeline.mark(.sendStart, at: exchange.sentHeadAt ?? worker.now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        tap.append(informational: head)
        if head.status == 100 { wasToldToContinue = true }
        // A 1.0 client does not know interim responses (RFC 9110 §15.2).
        guard self.head.version >= .http11 else { return }
        write(ForwardedResponse(head: head, body: .none), isPersistent: true)
    }

    private func write(_ response: ForwardedResponse, isPersistent: Bool) {
        var octets: [UInt8] = []
        HTTP1HeadWriter.write(response, to: client(isPersistent: isPersistent), into: &octets)
        inbound.stream.write(octets)
    }

    private func client(isPersistent: Bool) -> HTTP1Recipient {
        HTTP1Recipient(
            version: head.version, requestMethod: head.method, isPersistent: isPersistent)
    }

    func exchange(
        _ exchange: ClientExchange, didReceive response: ResponseHead,
        body: BodyLength
    ) {
        if head.version < .http11, body == .untilClose, response.hasOpaqueTransferCoding {
            let failure = ExchangeFailure.codingUnknownToClient
            tap.setRefused(response.octets, reason: failure.message)
            return giveUp(failure, answer: .badGateway(failure))
        }
        markResponseHead(exchange)
        tap.setResponse(response)
        if response.fields.authenticateConnection {
            inbound.bind(to: exchange.request.target)
            exchange.bindConnection()
        }
        tap.setRepairs(exchange.repairs)
        let outgoing = client(isPersistent: false).framing(of: body)
        mayBeRepeated = response.status == 417 && isClientWaiting
        keepsAlive =
            head.isPersistent && (inbound.isRequestComplete || mayBeRepeated)
            && !inbound.isStopping && outgoing != .untilClose && !exchange.endsBoundConnection
        var options = ForwardedResponse.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if worker.configuration.addsDate { options.date = DateField.now() }
        self.response = .streaming(outgoing)
        inbound.bodyMoved()
        write(
            ForwardedResponse(head: response, body: body, options: options),
            isPersistent: keepsAlive)
    }

    /// Whether the client waits for 100 before it sends its body. Of final responses only 417 asks
    /// for the request again (RFC 9110 §10.1.1); after any other the connection closes, as it could
    /// not be told whether the body or another request comes next.
    private var isClientWaiting: Bool {
        head.expectsContinue && !wasToldToContinue && inbound.isBodyAwaited
    }

    private func markResponseHead(_ exchange: ClientExchange) {
        let now = now
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseFirstByte, at: exchange.firstByteAt ?? now)
            timeline.markOnce(.responseHead, at: now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody octets: Span<UInt8>) {
        guard case .streaming(let framing) = response else { return }
        inbound.bodyMoved()
        tap.appendResponseBody(octets)
        let client = inbound.stream
        if framing == .chunked {
            var line: [UInt8] = []
            ChunkEncoder.writeChunkHeader(byteCount: octets.count, into: &line)
            client.write(line)
            client.write(octets)
            line.removeAll(keepingCapacity: true)
            ChunkEncoder.writeChunkEnd(into: &line)
            client.write(line)
        } else {
            client.write(octets)
        }
        if client.isCongested { setUpstreamPaused(.slowPeer, true) }
        pauseForRecorder()
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        tap.setResponseTrailers(trailers)
        responseTrailers = trailers
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        guard case .streaming(let framing) = response else { return }
        if framing == .chunked {
            var octets: [UInt8] = []
            ChunkEncoder.writeLastChunk(trailers: responseTrailers, into: &octets)
            inbound.stream.write(octets)
        }
        let now = now
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseLastByte, at: now)
            timeline.markOnce(.delivered, at: now)
        }
        tap.setRepairs(exchange.repairs)
        tap.setRefused(exchange.refusedOctets, reason: "bytes came after the end of the response")
        upstream = nil
        response = .finished
        worker.close(tap, .complete)
        // Where the request is still coming, the server has answered without reading it all: the
        // connection cannot be used again, and closing tells the client to stop sending.
        if keepsAlive, mayBeRepeated, !inbound.isRequestComplete {
            inbound.expectationFailed(head)
        } else {
            inbound.exchangeEnded(keepsAlive: keepsAlive)
        }
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        noteFault(exchange, failure)
        upstream = nil
        if exchange.isUnanswered {
            endUnanswered(.unanswered(failure))
        } else {
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// Keeps what came and did not go on.
    private func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        tap.setRepairs(exchange.repairs)
        // Where the server is not to blame, what came of its response is only not complete.
        let reason =
            failure.origin == .upstream
            ? failure.message : "the response was not complete yet: \(failure.message)"
        tap.setRefused(exchange.refusedOctets, reason: reason)
    }

    func exchangeDidDrain(_ exchange: ClientExchange) { inbound.setPaused(.slowPeer, false) }

    // MARK: Upgrade

    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream,
        head response: ResponseHead, early: Span<UInt8>
    ) {
        // Nobody else holds it once the tunnel has its place.
        let inbound = inbound
        upstream = nil
        guard let name = agreedProtocol(response), inbound.isRequestComplete else {
            stream.abort()
            let octets = response.octets + early.withUnsafeBufferPointer { Array($0) }
            tap.setRefused(octets, reason: ExchangeFailure.unaskedSwitch.message)
            return giveUp(.unaskedSwitch, answer: .badGateway(.unaskedSwitch))
        }
        markResponseHead(exchange)
        tap.setResponse(response)
        tap.setUpgrade(name)
        write(ForwardedResponse(head: response, body: .none), isPersistent: true)
        self.response = .finished
        let tunnel = TunnelLayer(
            client: inbound.stream, server: stream, worker: worker, tap: tap)
        let ahead = inbound.handOver(to: tunnel)
        tunnel.start(fromClient: ahead.span, fromServer: early)
        inbound.tellOfEnd(tunnel)
    }

    /// The protocol that a 101 switches to; nil where it names none, or one that was not offered
    /// to the server. Names are the same in any case (RFC 9110 §7.8).
    private func agreedProtocol(_ response: ResponseHead) -> String? {
        let offered = head.forwardedUpgradeProtocols
        let chosen = response.upgradeProtocols
        let isOffered = { (name: String) in
            offered.contains { ASCII.equalsIgnoringCase($0.utf8Span.span, name.utf8Span.span) }
        }
        guard let name = chosen.first, chosen.allSatisfy(isOffered) else { return nil }
        return name
    }

    // MARK: Endings

    func clientVanished() {
        if let upstream { noteFault(upstream, .clientClosed) }
        upstream?.cancel()
        upstream = nil
        endTruncated(.clientClosed, isClientGone: true)
    }

    func serverTimedOut() {
        giveUp(.responseTimedOut, answer: .badGateway(.responseTimedOut))
    }

    /// Whether the server has not begun to answer.
    var isResponseAwaited: Bool {
        if case .awaited = response { true } else { false }
    }

    func terminate(_ reason: TerminationReason) {
        let failure = ExchangeFailure.terminated(reason)
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Ends the exchange without a complete response from the server: with our own where none has
    /// begun, else by cutting the client's short, so that it never looks complete.
    private func giveUp(_ failure: ExchangeFailure, answer: LocalResponse) {
        if let upstream { noteFault(upstream, failure) }
        upstream?.cancel()
        upstream = nil
        switch response {
        case .awaited:
            response = .finished
            let isPersistent =
                head.isPersistent && inbound.isRequestComplete && !inbound.isStopping
            inbound.stream.write(
                answer.octets(requestMethod: head.method, isPersistent: isPersistent).span)
            answer.record(in: tap)
            worker.close(tap, .failed, failure: failure)
            inbound.exchangeEnded(keepsAlive: isPersistent)
        case .streaming: endTruncated(failure)
        case .finished: break
        }
    }

    /// Ends the exchange as the server ended it: by closing without a word, which tells the client
    /// that it may decide whether to send the request again.
    private func endUnanswered(_ failure: ExchangeFailure) {
        response = .finished
        worker.close(tap, .failed, failure: failure)
        inbound.exchangeUnanswered()
    }

    private func endTruncated(_ failure: ExchangeFailure, isClientGone: Bool = false) {
        let last = response
        response = .finished
        if case .finished = last {} else { worker.close(tap, .failed, failure: failure) }
        // Where a length or a last chunk is missing, the client sees the end as what it is, and
        // gets all that came before. A body that ends with its connection needs the reset.
        if case .streaming(let framing) = last, framing != .untilClose, !isClientGone {
            inbound.exchangeCutShort()
        } else {
            inbound.exchangeTruncated()
        }
    }

    // MARK: Back-pressure

    func clientDrained() { setUpstreamPaused(.slowPeer, false) }

    private func setUpstreamPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let was = upstreamPauses
        if isPaused { upstreamPauses.insert(reason) } else { upstreamPauses.remove(reason) }
        guard was.isEmpty != upstreamPauses.isEmpty else { return }
        if upstreamPauses.isEmpty {
            upstream?.resumeReceiving()
        } else {
            upstream?.pauseReceiving()
        }
    }

    private func pauseForRecorder() {
        if inbound.pauseForRecorder() { setUpstreamPaused(.recorder, true) }
    }

    func recorderDrained() { setUpstreamPaused(.recorder, false) }
}
