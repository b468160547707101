internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Requests that must name a user: served once that is checked, and what follows them waits.
extension HTTP1ServerConnection {
    /// A request whose user is being checked.
    struct AdmittedRequest {
        let head: RequestHead
        let body: BodyLength
        let admission: Admission
    }

    /// A request that is answered with 407 once its body has arrived.
    struct RefusedRequest {
        let tap: ExchangeTap
        let method: HTTPMethod
        let refusal: AccessRefusal
    }

    /// The longest body that is read so that the connection can be kept after a 407.
    private static let drainedByteCountMax: UInt64 = 64 << 10

    /// Serves or refuses a request, immediately or when its user has been checked.
    func wait(for admission: Admission, of head: RequestHead, body: BodyLength, rest: Span<UInt8>) {
        let request = AdmittedRequest(head: head, body: body, admission: admission)
        if let outcome = admission.outcome { return act(on: outcome, for: request, ahead: rest) }
        state = .admitting(request)
        admission.whenDecided = { [weak self] outcome in
            guard let self, case .admitting = state else { return }
            resume { act(on: outcome, for: request, ahead: $0) }
        }
    }

    private func act(
        on outcome: Admission.Outcome, for request: AdmittedRequest, ahead: Span<UInt8>
    ) {
        state = .waiting
        switch outcome {
        case .admitted(let name):
            user = name
            serve(request.head, body: request.body, rest: ahead)
        case .refused(let refusal): refuse(request, refusal)
        }
    }

    /// Answers with 407. The connection stays open for the credentials if the body of the request
    /// is short enough to be read, and after a CONNECT it is closed.
    private func refuse(_ request: AdmittedRequest, _ refusal: AccessRefusal) {
        let head = request.head
        let tap = openTap(head, url: destination.url(of: head))
        let refused = RefusedRequest(tap: tap, method: head.method, refusal: refusal)
        let isDrained =
            switch request.body {
            case .none: true
            case .exactly(let count):
                count <= HTTP1ServerConnection.drainedByteCountMax && !head.expectsContinue
            default: false
            }
        guard isDrained, head.isPersistent, head.method != .connect, !isStopping else {
            return finish(refused, keepsAlive: false)
        }
        state = .refusing(refused)
        ownDeadline = connection.now &+ settings.configuration.headTimeoutNs
    }

    /// Sends the 407 and ends the record.
    func finish(_ refused: RefusedRequest, keepsAlive: Bool) {
        let response = refused.refusal.answer
        let keepsAlive = keepsAlive && !isStopping
        if keepsAlive { refused.tap.endRequest(trailers: nil, at: connection.now) }
        stream.write(response.bytes(requestMethod: refused.method, isPersistent: keepsAlive))
        response.record(
            in: refused.tap, to: refused.method, head: response.head(isPersistent: keepsAlive))
        refused.tap.end(.failed, failure: refused.refusal.failure, at: connection.now)
        if keepsAlive { becomeIdle() } else { close() }
    }

    /// Records a request that ended before it was served or refused.
    func recordUnserved(_ failure: ExchangeFailure) {
        switch state {
        case .admitting(let request):
            let tap = openTap(request.head, url: destination.url(of: request.head))
            tap.end(.failed, failure: failure, at: connection.now)
        case .refusing(let refused): refused.tap.end(.failed, failure: failure, at: connection.now)
        case .waiting, .receiving, .responding, .handedOver, .closing: break
        }
    }
}

/// Answers of the proxy itself, and the records of requests that get them.
extension HTTP1ServerConnection {
    /// Opens the record of a request whose head is complete.
    func openTap(_ head: RequestHead, url: RawURL? = nil) -> ExchangeTap {
        let tap = connection.openTap(firstByteAt: headStartedAt, events: destination.events)
        if let user { tap.setUser(user) }
        tap.begin(url: url, head: head, at: connection.now)
        return tap
    }

    /// Answers with a response of the proxy and closes: after a refusal, nothing more on the
    /// connection is processed. Without a failure, the exchange is recorded as complete.
    func answerLocally(
        _ response: LocalResponse, to head: RequestHead, tap: ExchangeTap, failure: ExchangeFailure?
    ) {
        let bytes = response.bytes(requestMethod: head.method, isPersistent: false)
        stream.write(bytes)
        response.record(in: tap, to: head.method)
        tap.end(failure == nil ? .complete : .failed, failure: failure, at: connection.now)
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
        tap.end(.failed, failure: failure, at: connection.now)
        close()
    }

    /// Opens the record of a head of which only the raw bytes are known.
    func openUnreadTap() -> ExchangeTap {
        let tap = connection.openTap(firstByteAt: headStartedAt, events: destination.events)
        tap.begin(malformed: HiddenCredentials.hidden(in: decoder.partialHead))
        return tap
    }

    func recordCutHead() {
        guard unmetExpectation == nil else { return }
        openUnreadTap().end(.failed, failure: .clientClosedInHead, at: connection.now)
    }
}

/// Serving the proxy's own pages.
extension HTTP1ServerConnection {
    /// Decides where a request goes. One that names no server may go to the host in its Host field.
    func resolve(_ head: borrowing RequestHead) throws(WireError) -> RequestDestination {
        guard settings.configuration.forwardsToHost else {
            return try EffectiveTarget.resolve(head, via: destination.receiver)
        }
        let resolved = try EffectiveTarget.resolve(head, via: destination.receiver)
        guard case .proxyItself = resolved,
            let url = EffectiveTarget.urlOfHost(head)
        else { return resolved }
        return .forward(url)
    }

    func answerPage(_ head: RequestHead, path: String, body: BodyLength) {
        guard
            PageAccess.isAllowed(head, ownHostNames: settings.configuration.ownHostNames)
        else {
            return answerLocally(.pageRefused, to: head, tap: openTap(head), failure: .pageRefused)
        }
        let isPersistent = head.isPersistent && body == .none && !isStopping
        let response = parts.pages.answer(
            method: head.method, path: path,
            authority: PageAccess.authority(
                head, at: connection.local, settings.configuration.ownHostNames))
        stream.write(response.bytes(requestMethod: head.method, isPersistent: isPersistent).span)
        if isPersistent { becomeIdle() } else { close() }
    }
}
