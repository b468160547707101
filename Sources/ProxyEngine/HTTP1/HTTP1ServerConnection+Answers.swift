internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Answers of the proxy itself, and the records of requests that get them.
extension HTTP1ServerConnection {
    /// Opens the record of a request whose head is complete.
    func openTap(_ head: RequestHead, url: RawURL? = nil) -> ExchangeTap {
        let tap = worker.openTap(
            on: connection, firstByteAt: headStartedAt, to: destination)
        if let user { tap.setUser(user) }
        tap.mark(.requestHead, at: worker.now)
        tap.begin(url: url, head: head)
        return tap
    }

    /// Answers with a response of the proxy and closes: after a refusal, nothing more on the
    /// connection is processed. Without a failure, the exchange is recorded as complete.
    func answerLocally(
        _ response: LocalResponse, to head: RequestHead, tap: ExchangeTap,
        failure: ExchangeFailure?
    ) {
        let bytes = response.bytes(requestMethod: head.method, isPersistent: false)
        stream.write(bytes)
        response.record(in: tap, to: head.method)
        tap.end(failure == nil ? .complete : .failed, failure: failure, at: worker.now)
        close()
    }

    /// Answers bytes that are not a valid request.
    func refuse(_ error: WireError) {
        if case .receiving(let machine) = state { return machine.requestBroke(error) }
        answerUnread(.badRequest(error), failure: .malformed(error))
    }

    /// Answers a head that could not be parsed, and closes.
    func answerUnread(_ response: LocalResponse, failure: ExchangeFailure) {
        // This is the body of a request that was already answered, sent nevertheless.
        guard unmetExpectation == nil else { return close() }
        let tap = openUnreadTap()
        stream.write(response.bytes(requestMethod: .get, isPersistent: false))
        response.record(in: tap, to: .get)
        tap.end(.failed, failure: failure, at: worker.now)
        close()
    }

    /// Opens the record of a head of which only the raw bytes are known.
    func openUnreadTap() -> ExchangeTap {
        let tap = worker.openTap(
            on: connection, firstByteAt: headStartedAt, to: destination)
        tap.begin(malformed: HiddenCredentials.hidden(in: decoder.partialHead))
        return tap
    }

    func recordCutHead() {
        guard unmetExpectation == nil else { return }
        openUnreadTap().end(.failed, failure: .clientClosedInHead, at: worker.now)
    }
}
