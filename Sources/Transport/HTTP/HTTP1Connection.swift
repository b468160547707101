internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A server connection that speaks HTTP/1, one exchange at a time; confined to its loop.
///
/// ```
/// idle ──start──▶ busy(exchange) ──response and request complete, persistent──▶ idle
///   │                  └── anything else ──▶ closed
///   └── octets nobody asked for, end, error ──▶ closed
/// ```
final class HTTP1Connection: DuplexStreamDelegate, Placed {
    let stream: any DuplexStream
    /// What it is found by: where it leads, and whose it is.
    private(set) var key: ConnectionKey
    /// What its exchanges are told of it.
    let facts: ConnectionFacts
    private unowned let pool: ConnectionPool

    private enum State {
        case idle
        case busy(ClientExchange)
        case closed
    }
    private var state: State = .idle
    private var decoder: ResponseDecoder
    private var exchangeCount = 0
    private var isPersistent = true
    /// When it became idle; monotonic nanoseconds.
    private(set) var idleSince: Int64 = 0
    /// Its place among the pool's busy connections.
    var place = -1
    /// Those it waits with while it is idle, kept by the pool.
    var line: IdleConnections?
    /// The client connection that it belongs with; kept by the pool.
    var keeper: ConnectionAffinity?
    /// The number of the client connection that it served last.
    private(set) var lastClient: ConnectionID?

    init(
        established: EstablishedConnection, key: ConnectionKey, id: ConnectionID?,
        limits: WireLimits, pool: ConnectionPool
    ) {
        stream = established.stream
        self.key = key
        facts = ConnectionFacts(of: established, id: id)
        self.pool = pool
        decoder = ResponseDecoder(limits: limits)
        stream.delegate = self
    }

    /// Whether it has served an exchange before the present one.
    var isReused: Bool { exchangeCount > 1 }
    /// Whether it waits for work.
    var isIdle: Bool { if case .idle = state { true } else { false } }
    /// Whether it is one client connection's alone, and ends with it.
    var isBound: Bool { key.owner != .shared }
    /// Whether it is bound and the present response is its last.
    var isBoundAndEnding: Bool { isBound && !isPersistent }

    /// Looks, without waiting, whether the server has said nothing since the last response.
    var isSilent: Bool { stream.isSilent() }

    /// Sends an exchange's request over this idle connection.
    func start(_ exchange: ClientExchange) {
        state = .busy(exchange)
        exchangeCount += 1
        isPersistent = true
        lastClient = exchange.affinity?.client
        decoder.expectResponse(toMethod: exchange.request.method)
        exchange.attach(to: self)
    }

    /// Makes it a client connection's alone, for which it is busy now.
    func bind(to affinity: ConnectionAffinity) {
        guard case .busy = state else { return }
        key = affinity.key(for: key.target)
        line = nil
    }

    /// Marks the moment from which it waits for work.
    func becomeIdle(now: Int64) { idleSince = now }

    /// Closes it at once: its exchange was given up, or descriptors ran out.
    func abandon() {
        leave()
        stream.abort()
    }

    /// Closes an idle connection in good order.
    func closeIdle() {
        leave()
        stream.close()
    }

    private func leave() {
        state = .closed
        pool.forget(self)
    }

    // MARK: DuplexStreamDelegate

    func stream(_ stream: any DuplexStream, didReceive octets: Span<UInt8>) {
        guard case .busy(let exchange) = state else { return discard() }
        exchange.noteFirstByte()
        var offset = 0
        while isBusy(with: exchange) {
            do throws(WireError) {
                let part = try decoder.decode(octets, from: &offset)
                if case .needsMoreInput = part { return }
                deliver(part, to: exchange, input: octets, offset: offset)
            } catch {
                exchange.noteRefused(
                    decoder.refusedOctets(
                        of: octets, at: offset, byteCountMax: ResponseFault.Refusal.byteCountMax))
                return fail(exchange, .malformedResponse(error))
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        guard case .busy(let exchange) = state else { return discard() }
        // Close-delimited content over TLS is complete only behind a close_notify
        // (RFC 9112 §9.8).
        isPersistent = false
        // A head may end there without its empty line; then its body, if there is to be one.
        while isClean, let part = try? decoder.finish() {
            switch part {
            case .end: return finish(exchange, hasUnreadInput: false)
            case .head(let head, let body): receive(head, body: body, for: exchange)
            default: return connectionLost(exchange, .closedEarly)
            }
            guard isBusy(with: exchange) else { return }
        }
        connectionLost(exchange, .closedEarly)
    }

    func streamDidDrain(_ stream: any DuplexStream) {
        if case .busy(let exchange) = state { exchange.drained() }
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        guard case .busy(let exchange) = state else { return discard() }
        connectionLost(exchange, .connectionBroke(error))
    }

    // MARK: Steps

    private func isBusy(with exchange: ClientExchange) -> Bool {
        if case .busy(let current) = state { current === exchange } else { false }
    }

    private func deliver(
        _ part: Decoded<ResponseHead>, to exchange: ClientExchange, input: Span<UInt8>,
        offset: Int
    ) {
        switch part {
        case .needsMoreInput: break
        case .informational(let head): exchange.received(informational: head)
        case .head(let head, let body):
            if head.status == 101 {
                leave()  // the stream now belongs to whoever switched
                exchange.switched(
                    to: stream, head: head, early: input.extracting(offset..<input.count))
                return
            }
            receive(head, body: body, for: exchange)
        case .body(let range): exchange.received(body: input.extracting(range))
        case .trailers(let trailers): exchange.received(trailers: trailers)
        case .end:
            if offset < input.count {
                keepExcess(input.extracting(offset..<input.count), of: exchange)
            }
            finish(exchange, hasUnreadInput: offset < input.count)
        }
    }

    private func receive(
        _ head: ResponseHead, body: BodyLength, for exchange: ClientExchange
    ) {
        isPersistent = isPersistent && head.isPersistent
        noteRepairs(exchange)
        exchange.received(head, body: body)
    }

    /// What came after the response's end goes to no one, but is not forgotten.
    private func keepExcess(_ octets: Span<UInt8>, of exchange: ClientExchange) {
        let count = min(octets.count, ResponseFault.Refusal.byteCountMax)
        exchange.noteRefused(octets.extracting(0..<count).withUnsafeBufferPointer { Array($0) })
    }

    /// Where the framing had to be mended, server and we may not agree where the response ended.
    private func noteRepairs(_ exchange: ClientExchange) {
        let repairs = decoder.repairs
        guard !repairs.isEmpty else { return }
        exchange.note(repairs)
        if repairs.concernsFraming { isPersistent = false }
    }

    /// What came of a response and was not passed on, as it is not complete.
    var unfinishedOctets: [UInt8] { decoder.unfinishedOctets }

    private func finish(_ exchange: ClientExchange, hasUnreadInput: Bool) {
        noteRepairs(exchange)
        // Octets behind a response are not a response (RFC 9112 §9.2), and a request that the
        // server did not read to its end leaves the connection in an unknown place.
        if isPersistent, !hasUnreadInput, exchange.isRequestComplete, stream.queuedByteCount == 0 {
            state = .idle
            stream.resumeReading()
            pool.checkIn(self)
        } else {
            leave()
            stream.close()
        }
        exchange.ended()
    }

    private func connectionLost(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        abandon()
        guard isReused, exchange.firstByteAt == nil else {
            noteRepairs(exchange)
            exchange.noteRefused(decoder.unfinishedOctets)
            return exchange.failed(failure)
        }
        // What the server knew of the client on a connection of its own, it does not know on
        // another.
        if exchange.request.mayBeRepeated, !isBound {
            exchange.detachForRepeat()
            pool.connectFresh(exchange)
        } else {
            exchange.failedUnanswered(failure)
        }
    }

    private func fail(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        noteRepairs(exchange)
        abandon()
        exchange.failed(failure)
    }

    /// Closes an idle connection on which the server has ended, or said what nobody asked for.
    func discard() {
        if case .closed = state { return }
        abandon()
    }
}
