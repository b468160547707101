internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Responses of the proxy itself.
extension HTTP2ServerStream {
    /// Takes a request for one of the proxy's pages, which is answered once the request is
    /// complete.
    func ask(_ head: RequestHead, path: String, body: BodyLength) {
        state = .asking(head, path: path)
        if body == .none || body == .exactly(0) || extendedConnect != nil {
            answerPage(head, path: path)
        }
    }

    func answerPage(_ head: RequestHead, path: String) {
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

    func refuse(
        _ head: RequestHead, _ response: LocalResponse, _ failure: ExchangeFailure
    ) {
        answer(response, recordingIn: openTap(head), failure: failure)
    }

    func answer(
        _ response: LocalResponse, recordingIn tap: ExchangeTap, failure: ExchangeFailure?
    ) {
        write(response)
        response.record(in: tap, for: self)
        tap.end(failure == nil ? .complete : .failed, failure: failure, at: worker.now)
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
        let fields = message.fieldsWithoutProxyCredentials
        if fields != message.fields { frames?.forgetBytes() }
        tap.begin(malformed: fields, codings: message.codings)
        response?.record(in: tap, for: self)
        tap.end(.failed, failure: .malformed(message), at: worker.now)
        over()
    }

    /// Sends a response of the proxy. The rest of the request is not wanted.
    func write(_ response: LocalResponse) {
        link.send(response.forwarded(isPersistent: true), on: id)
        if requestMethod != .head { link.send(body: response.body.span, on: id) }
        link.end(id, trailers: nil, thenReset: finalCode)
    }
}
