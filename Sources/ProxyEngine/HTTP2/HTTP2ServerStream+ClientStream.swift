internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
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

    func send(_ response: borrowing ForwardedResponse, isLast: Bool) { link.send(response, on: id) }

    func send(body bytes: Span<UInt8>) { link.send(body: bytes, on: id) }

    func endBody(trailers: HeaderFields?) { link.end(id, trailers: trailers, thenReset: finalCode) }

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

    func forwardReset(_ code: HTTP2ErrorCode) -> Bool {
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
        extendedConnect.begin(stream, joining: server, head, early: early, tap: tap, pace: pace)
        if isRequestComplete { stream.receivedEnd() }
    }
}

/// Bytes leave with the stream's last frame.
extension HTTP2ServerStream: DepartureWatch {
    func awaitDeparture(of tap: ExchangeTap, _ ending: RecordEnding) {
        owner.awaitDeparture(of: tap, on: id, ending)
    }
}

/// Responses of the proxy itself.
extension HTTP2ServerStream {
    /// Takes a request for one of the proxy's pages, which is answered once it is complete.
    func ask(_ head: RequestHead, path: String, body: BodyLength) {
        state = .asking(head, path: path)
        if body == .none || body == .exactly(0) || extendedConnect != nil {
            answerPage(head, path: path)
        }
    }

    func answerPage(_ head: RequestHead, path: String) {
        guard
            PageAccess.isAllowed(head, ownHostNames: owner.settings.configuration.ownHostNames)
        else { return refuse(head, .pageRefused, .pageRefused) }
        write(
            owner.parts.pages.answer(
                method: head.method, path: path,
                authority: PageAccess.authority(
                    head, at: connection.local, owner.settings.configuration.ownHostNames)))
        over()
    }

    func refuse(_ head: RequestHead, _ response: LocalResponse, _ failure: ExchangeFailure) {
        answer(response, recordingIn: openTap(head), failure: failure)
    }

    func answer(
        _ response: LocalResponse, recordingIn tap: ExchangeTap, failure: ExchangeFailure?
    ) {
        write(response)
        response.record(in: tap, for: self)
        tap.end(failure == nil ? .complete : .failed, failure: failure, at: connection.now)
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

    func recordRefusal(of message: MalformedMessage, _ response: LocalResponse? = nil) {
        let tap = openTap()
        let fields = message.fieldsWithoutProxyCredentials
        if fields != message.fields { frames?.forgetBytes() }
        tap.begin(malformed: fields, codings: message.codings)
        response?.record(in: tap, for: self)
        tap.end(.failed, failure: .malformed(message), at: connection.now)
        over()
    }

    /// Sends a response of the proxy. The rest of the request is not wanted.
    func write(_ response: LocalResponse) {
        link.send(response.forwarded(isPersistent: true), on: id)
        if requestMethod != .head { link.send(body: response.body.span, on: id) }
        link.end(id, trailers: nil, thenReset: finalCode)
    }
}

/// Parts of a stream that need none of its state.
extension HTTP2ServerStream {
    /// The error that a tunnel receives when the client resets its stream.
    static let streamLost = StreamError(kind: .reset, message: "the client reset the stream")

    /// Whether a request is for the address that the client is connected to: HTTP/2 has no form of
    /// request target that says so.
    func isOwn(_ url: RawURL) -> Bool {
        guard namesServers, url.scheme == "http" else { return false }
        let local = link.stream.localAddress
        guard url.port == local.port else { return false }
        return url.host.lowercased() == "localhost"
            ? local.isLoopback : SocketAddress(ip: url.host, port: url.port) == local
    }
}
