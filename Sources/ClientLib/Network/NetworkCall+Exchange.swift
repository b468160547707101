internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

extension NetworkCall: ClientExchangeDelegate, DispatchEndObserver {
    func exchange(_ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes) {
        known.requestHead = try? HeadParser.parseWritten(bytes)
    }

    func exchange(_ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool) {
        didBegin()
        known.connection = ConnectionRecord(of: facts, timeline: known.timeline)
        known.timeline.connectionReused = isReused
        if !isReused { facts.timings.write(to: &known.timeline) }
        noteStream(exchange, on: facts.id)
        // Makes the connection's details visible in the report before a response arrives.
        requestDelivery()
        if request.continueTimeoutNs != nil { askForBody() } else { startPump() }
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        noteActivity()
        known.informational.append(head)
        if head.status == 100 { sendAskedBody() }
    }

    func exchange(_ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength) {
        noteActivity()
        if askedNs != nil { forgetAskedBody() }
        if head.status == 407, let proxy = route?.proxy {
            return loopTransport.proxyAsked(head, self, proxy: proxy)
        }
        known.timeline.markOnce(.responseHead, at: lastActivityNs)
        noteSettings(exchange)
        stagedHead = head
        if case .exactly(let count) = body, count > 0 {
            let expected = Int(min(count, UInt64(mailbox.fullByteCount)))
            stagedBytes.reserveCapacity(expected)
        }
        requestDelivery()
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>) {
        noteActivity()
        bytes.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        requestDelivery()
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        known.trailers = trailers
    }

    func exchangeDidDrain(_ exchange: ClientExchange) {
        noteActivity()
        if case .bytes(let bytes) = request.payload, position > 0 { send(bytes, over: exchange) }
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

    private func noteStream(_ exchange: ClientExchange, on connection: ConnectionID?) {
        guard let route, route.proxy == nil else { return }
        guard let id = exchange.streamID else { return loopTransport.noteConnections(on: route) }
        route.sharedConnection = connection
        var http2 = HTTP2Facts()
        http2.serverStream = id
        http2.serverVersion = .http2
        known.http2 = http2
        known.connection?.http2 = exchange.http2ConnectionFacts
    }

    /// Records the server's settings, which arrive before any head.
    func noteSettings(_ exchange: ClientExchange) {
        guard let route, known.http2 != nil else { return }
        let facts = exchange.http2ConnectionFacts
        known.connection?.http2 = facts
        loopTransport.noteStreams(on: route, facts)
    }

    /// Records what was repaired in a response, or the fault of a rejected one.
    private func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure?) {
        let refused = failure == nil ? [] : exchange.refusedBytes
        guard !refused.isEmpty || !exchange.repairs.isEmpty else { return }
        var fault = ResponseFault(repairs: exchange.repairs.texts)
        if let failure, !refused.isEmpty {
            fault.refusal = .init(bytes: refused, reason: failure.message)
        }
        known.responseFault = fault
    }

    /// Whether to send the request again because its kept-alive connection turned out to be closed:
    /// no byte of a response arrived, and the method is idempotent (RFC 9110 §9.2.2). For other
    /// methods it is unknown whether the server has acted. Each repetition uses up one dead
    /// connection, so they are limited.
    private func mayRepeat(after failure: ExchangeFailure) -> Bool {
        guard failure.kind == .closedEarly, case .running = phase,
            known.timeline.connectionReused, exchange?.firstByteAt == nil,
            // A server that resets a stream has answered: its connection is not stale.
            exchange?.resetCode == nil, request.head.method.isIdempotent
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

    /// Delivers at the end of the dispatch, so that everything from one read reaches the task in
    /// one step.
    func requestDelivery() {
        guard !isDeliveryDue else { return }
        isDeliveryDue = true
        loop.notifyAtDispatchEnd(self)
    }

    func noteMoments() {
        guard let exchange else { return }
        if let time = exchange.sentHeadAt { known.timeline.mark(.sendStart, at: time) }
        if let time = exchange.sentLastAt { known.timeline.mark(.sendEnd, at: time) }
        if let time = exchange.firstByteAt { known.timeline.mark(.responseFirstByte, at: time) }
    }

    private func error(for failure: ExchangeFailure) -> ClientError {
        if let error = loopTransport.errorBeingTold { return error }
        if case .connecting = self.phase, let proxy = route?.proxy, failure.kind != .overloaded {
            return ClientError(ProxyError.unreachable(failure.kind), of: proxy)
        }
        var phase: ClientError.Phase?
        if case .running = self.phase, failure.kind == .closedEarly || failure.kind == .timedOut {
            phase = exchange?.firstByteAt != nil ? .receive : isBodyComplete ? .wait : .send
        }
        return ClientError(.network(failure.kind), phase: phase, message: failure.message)
    }
}

extension ConnectionRecord {
    /// The record of the connection of an exchange that started when the timeline did.
    fileprivate init(of facts: ConnectionFacts, timeline: Timeline) {
        let sinceStart = (facts.timings.connectEnd ?? timeline.start) &- timeline.start
        self.init(
            id: facts.id ?? ConnectionID(rawValue: 0), side: .server,
            openedAt: timeline.wallStart &+ sinceStart, peerAddress: facts.peerAddress,
            localAddress: facts.localAddress, security: facts.security)
    }
}

extension NetworkCall {
    /// The number of bytes of a body in memory that are passed on in one piece.
    private static let pieceByteCount = 256 * 1_024

    /// Sends what can be sent immediately. Streams wait for a connection, so that a body that can
    /// be read only once is not consumed too early.
    func sendPayload(over exchange: ClientExchange) {
        switch request.payload {
        case .none:
            // A head may announce a body that is empty.
            if request.framing != .none { finishBody(exchange) }
            isBodyComplete = true
        case .bytes(let bytes): send(bytes, over: exchange)
        case .stream: break
        }
    }

    /// Sends bytes from the current position until the connection has enough.
    func send(_ bytes: [UInt8], over exchange: ClientExchange) {
        guard !isBodyComplete else { return }
        let all = bytes.span
        while position < all.count {
            if position > 0, exchange.isCongested { break }
            let end = min(all.count, position + NetworkCall.pieceByteCount)
            let start = position
            position = end
            exchange.sendBody(all.extracting(start..<end))
        }
        noteSent(Int64(position))
        if position == all.count { finishBody(exchange) }
    }

    private func finishBody(_ exchange: ClientExchange) {
        isBodyComplete = true
        exchange.finishBody(trailers: request.trailers)
    }

    private func noteSent(_ byteCount: Int64) {
        known.sentByteCount = byteCount
        request.onSent?(byteCount)
    }

    /// Whether there is no single-use body, or it has not been read yet.
    var canSendPayloadAgain: Bool {
        guard case .stream(let stream) = request.payload else { return true }
        return stream.isReplayable || pump == nil
    }

    // MARK: Expect: 100-continue

    /// When the body is sent without the server's agreement.
    var continueDueNs: Int64 {
        guard let askedNs, let timeoutNs = request.continueTimeoutNs else { return .max }
        return askedNs &+ timeoutNs
    }

    /// The head has been sent: the body waits for the server.
    func askForBody() {
        askedNs = lastActivityNs
        loopTransport.watch(continueDueNs)
    }

    /// Sends the body after the server agreed or the wait expired.
    func sendAskedBody() {
        guard askedNs != nil, let exchange else { return }
        askedNs = nil
        noteActivity()
        loopTransport.watch(lastActivityNs &+ request.idleTimeoutNs)
        sendPayload(over: exchange)
        startPump()
    }

    /// The response arrived before the body was sent, so it is not sent any more.
    func forgetAskedBody() {
        askedNs = nil
        isBodyComplete = true
        loopTransport.watch(lastActivityNs &+ request.idleTimeoutNs)
    }

    // MARK: Streams

    func startPump() {
        guard case .stream(let stream) = request.payload, pump == nil else { return }
        let (last, number) = (lastPump, pumpNumber)
        pump = Task {
            // Only one pump may write at a time.
            await last?.value
            await pull(stream, number)
        }
    }

    private func pull(_ stream: BodyStream, _ number: Int) async {
        do {
            var source = try await stream.open()
            var count: Int64 = 0
            while let piece = try await source.next() {
                if piece.isEmpty { continue }
                count += Int64(piece.count)
                if let declared = stream.byteCount, count > declared {
                    throw ClientError(.bodyLengthMismatch(declared: declared, actual: count))
                }
                let wantsMore = await mailbox.write {
                    loop.execute { self.sendPiece(piece, number) }
                }
                guard wantsMore, !Task.isCancelled else { return }
            }
            // A cancelled pump sees an end of the stream that is not the real one.
            if Task.isCancelled { return }
            if let declared = stream.byteCount, count != declared {
                throw ClientError(.bodyLengthMismatch(declared: declared, actual: count))
            }
            loop.execute { self.endStream(number) }
        } catch {
            if Task.isCancelled { return }
            abandon(.wrapping(error, as: .bodyUnavailable))
        }
    }

    private func sendPiece(_ piece: [UInt8], _ number: Int) {
        guard let exchange, number == pumpNumber else { return mailbox.wakeWriter() }
        noteActivity()
        exchange.sendBody(piece.span)
        noteSent(known.sentByteCount + Int64(piece.count))
        if !exchange.isCongested { mailbox.wakeWriter() }
    }

    private func endStream(_ number: Int) {
        guard let exchange, number == pumpNumber else { return }
        noteActivity()
        finishBody(exchange)
    }
}
