internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

extension NetworkCall: ClientExchangeDelegate, DispatchEndObserver {
    func exchange(
        _ exchange: ClientExchange, didSendHead octets: [UInt8], notes: ForwardingNotes
    ) {
        known.requestHead = try? HeadParser.parseWritten(octets)
    }

    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool
    ) {
        didBegin()
        known.connection = ConnectionRecord(of: facts, timeline: known.timeline)
        known.timeline.connectionReused = isReused
        if !isReused { facts.timings.write(to: &known.timeline) }
        noteStream(exchange, on: facts.id)
        // Who looks at a call that has no response yet sees what carries it.
        requestDelivery()
        if request.continueTimeoutNs != nil { askForBody() } else { startPump() }
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        noteActivity()
        known.informational.append(head)
        if head.status == 100 { sendAskedBody() }
    }

    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength
    ) {
        noteActivity()
        if askedNs != nil { forgetAskedBody() }
        if head.status == 407, let proxy = line?.proxy {
            return lane.proxyAsked(head, self, proxy: proxy)
        }
        known.timeline.markOnce(.responseHead, at: lastActivityNs)
        noteSettings(exchange)
        stagedHead = head
        if case .exactly(let count) = body, count > 0 {
            let expected = Int(min(count, UInt64(mailbox.fullByteCount)))
            stagedOctets.reserveCapacity(expected)
        }
        requestDelivery()
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody octets: Span<UInt8>) {
        noteActivity()
        octets.withUnsafeBufferPointer { stagedOctets.append(contentsOf: $0) }
        requestDelivery()
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        known.trailers = trailers
    }

    func exchangeDidDrain(_ exchange: ClientExchange) {
        noteActivity()
        if case .octets(let octets) = request.payload, position > 0 {
            send(octets, over: exchange)
        }
        mailbox.wakeWriter()
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        known.timeline.mark(.responseLastByte, at: loop.now)
        noteFault(exchange, nil)
        end(.complete)
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        if mayRepeat(after: failure) { return restart() }
        if let code = exchange.resetCode {
            known.http2?.reset = HTTP2Facts.Reset(side: .server, isOurs: false, code: code)
        }
        noteFault(exchange, failure)
        end(.failed(error(for: failure)))
    }

    /// Takes what is known of the stream that carries it.
    private func noteStream(_ exchange: ClientExchange, on connection: ConnectionID?) {
        guard let line, line.proxy == nil else { return }
        guard let id = exchange.streamID else { return lane.noteConnections(on: line) }
        line.sharedConnection = connection
        var http2 = HTTP2Facts()
        http2.serverStream = id
        http2.serverVersion = .http2
        known.http2 = http2
        known.connection?.http2 = exchange.http2ConnectionFacts
    }

    /// Takes what the server has announced, which has come before any head.
    func noteSettings(_ exchange: ClientExchange) {
        guard let line, known.http2 != nil else { return }
        let facts = exchange.http2ConnectionFacts
        known.connection?.http2 = facts
        lane.noteStreams(on: line, facts)
    }

    /// Keeps what was mended in a response, and what came of one that is refused.
    private func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure?) {
        let refused = failure == nil ? [] : exchange.refusedOctets
        guard !refused.isEmpty || !exchange.repairs.isEmpty else { return }
        var fault = ResponseFault(repairs: exchange.repairs.texts)
        if let failure, !refused.isEmpty {
            fault.refusal = .init(octets: refused, reason: failure.message)
        }
        known.responseFault = fault
    }

    /// Whether the request goes again because its kept-alive connection turned out to be dead: no
    /// byte of a response came, and doing twice what it asks for does no harm (RFC 9110 §9.2.2).
    /// Each time costs a dead connection, so that there is an end to it. Of other methods no one
    /// knows whether the server has acted.
    private func mayRepeat(after failure: ExchangeFailure) -> Bool {
        guard failure.kind == .closedEarly, case .running = phase,
            known.timeline.connectionReused, exchange?.firstByteAt == nil,
            request.head.method.isIdempotent
        else { return false }
        return canSendPayloadAgain
    }

    func dispatchDidEnd() {
        isDeliveryDue = false
        switch phase {
        case .running, .switched:
            noteMoments()
            deliver(nil)
        case .queued, .connecting, .over: break
        }
    }

    /// Delivers when the dispatch ends: what came in one read crosses to the task in one go.
    func requestDelivery() {
        guard !isDeliveryDue else { return }
        isDeliveryDue = true
        loop.notifyAtDispatchEnd(self)
    }

    /// Takes the moments that the exchange knows.
    func noteMoments() {
        guard let exchange else { return }
        if let time = exchange.sentHeadAt { known.timeline.mark(.sendStart, at: time) }
        if let time = exchange.sentLastAt { known.timeline.mark(.sendEnd, at: time) }
        if let time = exchange.firstByteAt { known.timeline.mark(.responseFirstByte, at: time) }
    }

    private func error(for failure: ExchangeFailure) -> ClientError {
        if let error = lane.errorBeingTold { return error }
        if case .connecting = self.phase, let proxy = line?.proxy, failure.kind != .overloaded {
            return ClientError(ProxyError.unreachable(failure.kind), of: proxy)
        }
        var phase: ClientError.Phase?
        if case .running = self.phase, failure.kind == .closedEarly || failure.kind == .timedOut {
            phase =
                exchange?.firstByteAt != nil ? .receive : isBodyComplete ? .wait : .send
        }
        return ClientError(.network(failure.kind), phase: phase, message: failure.message)
    }
}

extension ConnectionRecord {
    /// The record of the connection that carries an exchange begun at the timeline's start.
    fileprivate init(of facts: ConnectionFacts, timeline: Timeline) {
        let sinceStart = (facts.timings.connectEnd ?? timeline.start) &- timeline.start
        self.init(
            id: facts.id ?? ConnectionID(rawValue: 0), side: .server,
            openedAt: timeline.wallStart &+ sinceStart, peerAddress: facts.peerAddress,
            localAddress: facts.localAddress, security: facts.security)
    }
}
