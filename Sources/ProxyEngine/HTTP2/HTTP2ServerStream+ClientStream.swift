internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

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

    func send(body bytes: Span<UInt8>) { link.send(body: bytes, on: id) }

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
        setPaused(.pipelined, false)
        extendedConnect.begin(
            stream, joining: server, head, early: early, on: connection, tap: tap, pace: pace)
        if isRequestComplete { stream.receivedEnd() }
    }
}

/// Bytes leave with the stream's last frame.
extension HTTP2ServerStream: DepartureWatch {
    func awaitDeparture(of tap: ExchangeTap, _ ending: RecordEnding) {
        owner.awaitDeparture(of: tap, on: id, ending)
    }
}
