internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Requests that must name a user: they are served once that has been checked, and what follows
/// them waits.
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
    func wait(
        for admission: Admission, of head: RequestHead, body: BodyLength, rest: Span<UInt8>
    ) {
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
        ownDeadline = worker.now &+ worker.configuration.headTimeoutNs
    }

    /// Sends the 407 and ends the record.
    func finish(_ refused: RefusedRequest, keepsAlive: Bool) {
        let response = refused.refusal.answer
        let keepsAlive = keepsAlive && !isStopping
        if keepsAlive { refused.tap.endRequest(trailers: nil, at: worker.now) }
        stream.write(response.bytes(requestMethod: refused.method, isPersistent: keepsAlive))
        response.record(
            in: refused.tap, to: refused.method, head: response.head(isPersistent: keepsAlive))
        refused.tap.end(.failed, failure: refused.refusal.failure, at: worker.now)
        if keepsAlive { becomeIdle() } else { close() }
    }

    /// Records a request that ended before it was served or refused.
    func recordUnserved(_ failure: ExchangeFailure) {
        switch state {
        case .admitting(let request):
            let tap = openTap(request.head, url: destination.url(of: request.head))
            tap.end(.failed, failure: failure, at: worker.now)
        case .refusing(let refused): refused.tap.end(.failed, failure: failure, at: worker.now)
        case .waiting, .receiving, .responding, .handedOver, .closing: break
        }
    }
}
