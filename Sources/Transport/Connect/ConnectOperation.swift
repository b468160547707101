internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydTLS

/// One connection that is being made. Loop-confined; retained until it ends or is cancelled.
///
/// ```
///   created ──▶ resolving ──▶ racing ──▶ securing ──▶ over
///      └─────────────────────────┴───────────┴──────────▲   failure, deadline, cancel()
/// ```
final class ConnectOperation: Cancellable {
    typealias Completion = (Result<EstablishedConnection, ExchangeFailure>) -> Void

    private enum State {
        case created
        case resolving(LookupRequest)
        case racing(ConnectRace?)
        case securing(TLSStream)
        case over
    }

    private let target: ConnectTarget
    private let connector: Connector
    private let deadlineNs: Int64
    /// Whether the target is an upstream proxy: one that the user configured may have an address
    /// denied to servers, but not one of this proxy itself.
    private let isToUpstream: Bool
    private var completion: Completion?
    private var state = State.created
    private var timings = ConnectTimings()
    /// The upstream proxy of the plain connection that is being secured.
    private var upstream: String?
    private var deadline: Timer?
    /// Why an address of the target was skipped; nil if none was.
    private var refusal: ExchangeFailure?

    private var loop: EventLoop { connector.loop }

    init(
        target: ConnectTarget, connector: Connector, deadlineNs: Int64, isToUpstream: Bool = false,
        completion: @escaping Completion
    ) {
        self.target = target
        self.connector = connector
        self.deadlineNs = deadlineNs
        self.isToUpstream = isToUpstream
        self.completion = completion
    }

    func start() {
        armDeadline()
        if case .named(let name)? = target.route?.upstream {
            refusal = .unknownUpstream(name)
            return race(to: [])
        }
        if let address = target.route?.address { return race(to: [address]) }
        // An address may also be written with a trailing dot.
        if let literal = SocketAddress(ip: target.name, port: target.port) {
            return race(to: [literal])
        }
        timings.dnsStart = EventLoop.monotonicNow()
        let request = connector.resolver.resolve(
            target.host, port: target.port, timeoutNs: min(remainingNs, connector.limits.lookupNs),
            on: loop
        ) { [self] in resolved($0) }
        state = .resolving(request)
    }

    func start(from established: EstablishedConnection) {
        armDeadline()
        timings = established.timings
        upstream = established.upstream
        guard let policy = target.tls else {
            return loop.afterDispatch { [self] in succeed(established.stream, nil) }
        }
        secure(established.stream, policy)
    }

    func cancel() {
        loop.preconditionOnLoop()
        _ = end()
    }

    // MARK: Steps

    private func resolved(_ outcome: Resolver.Outcome) {
        guard case .resolving = state else { return }
        timings.dnsEnd = EventLoop.monotonicNow()
        switch outcome {
        case .success(let addresses): race(to: addresses)
        case .failure(let error): fail(.lookup(error, host: target.host))
        }
    }

    private func race(to addresses: [SocketAddress]) {
        let allowed = addresses.filter(isAllowed)
        state = .racing(nil)
        if let refusal, allowed.isEmpty { return loop.afterDispatch { [self] in fail(refusal) } }
        timings.connectStart = EventLoop.monotonicNow()
        state = .racing(
            ConnectRace(to: allowed, on: loop, onAttempt: connector.onAttempt) { [self] in
                connected($0)
            })
    }

    private func isAllowed(_ address: SocketAddress) -> Bool {
        switch connector.permission(address) {
        case .granted: return true
        case .ownAddress: refusal = .connectLoop(target)
        case .denied where isToUpstream: return true
        case .denied: refusal = refusal ?? .connectDenied(target, address)
        }
        return false
    }

    private func connected(_ outcome: Result<SocketStream, StreamError>) {
        guard case .racing = state else { return }
        switch outcome {
        case .success(let stream):
            timings.connectEnd = EventLoop.monotonicNow()
            if let header = target.route?.header, !header.isEmpty { stream.write(header) }
            if let policy = target.tls { secure(stream, policy) } else { succeed(stream, nil) }
        case .failure(let error):
            // If other addresses of the name failed too, the refusal is what the user needs to
            // know.
            fail(refusal ?? .connecting(error, to: target))
        }
    }

    private func secure(_ transport: any DuplexStream, _ policy: TLSPolicy) {
        timings.tlsStart = EventLoop.monotonicNow()
        let stream = TLSStream(
            client: connector.tls, policy: policy, port: target.port, over: transport,
            handshakeTimeoutNs: min(remainingNs, connector.limits.handshakeNs)
        ) { [self] outcome in secured(outcome) }
        state = .securing(stream)
        stream.start()
    }

    private func secured(_ outcome: Result<TLSFacts, TLSError>) {
        guard case .securing(let stream) = state else { return }
        switch outcome {
        case .success(let facts):
            timings.tlsEnd = EventLoop.monotonicNow()
            succeed(stream, ConnectionRecord.Security(of: facts))
        case .failure(let error):
            // Closed cleanly, so that the alert is delivered.
            stream.transport.close()
            fail(.securing(error, to: target))
        }
    }

    // MARK: Endings

    private var remainingNs: Int64 { max(0, deadlineNs &- loop.now) }

    private func armDeadline() {
        deadline = loop.schedule(afterNs: remainingNs) { [weak self] in self?.expire() }
    }

    private func expire() {
        switch state {
        case .created, .over: break
        case .resolving: fail(.tooSlow("looking up", target))
        case .racing: fail(.tooSlow("connecting to", target))
        case .securing: fail(.tooSlow("the TLS handshake with", target))
        }
    }

    private func succeed(_ stream: any DuplexStream, _ security: ConnectionRecord.Security?) {
        // Changes the state first, so that `end()` does not abort the new connection.
        state = .over
        end()?(
            .success(
                EstablishedConnection(
                    stream: stream, timings: timings, security: security, upstream: upstream)))
    }

    private func fail(_ failure: ExchangeFailure) { end()?(.failure(failure)) }

    private func end() -> Completion? {
        defer { completion = nil }
        deadline?.cancel()
        deadline = nil
        switch state {
        case .created, .over, .racing(nil): break
        case .resolving(let request): request.cancel()
        case .racing(let race?): race.cancel()
        case .securing(let stream): if stream.isOpen { stream.abort() }
        }
        state = .over
        return completion
    }
}

extension ConnectionRecord.Security {
    public init(of facts: TLSFacts) {
        self.init(
            version: facts.version, cipher: facts.cipher, alpn: facts.alpn,
            serverName: facts.serverName, peerCertificates: facts.peerCertificates,
            isResumed: facts.isResumed)
        requestedAuthorities = facts.certificateRequest?.authorities
        showsClientCertificate = facts.certificateRequest?.isAnswered ?? false
    }
}

/// Failures while a connection is being made.
extension ExchangeFailure {
    static func lookup(_ error: HostLookupError, host: String) -> ExchangeFailure {
        let kind: Kind =
            switch error {
            case .notFound, .temporary, .other: .nameResolution
            case .timedOut: .timedOut
            case .overloaded: .overloaded
            }
        return ExchangeFailure(
            origin: kind == .overloaded ? .proxy : .upstream, kind: kind,
            message: "cannot look up \(host): \(error)")
    }

    static func connecting(_ error: StreamError, to target: ConnectTarget) -> ExchangeFailure {
        let kind: Kind =
            switch error.kind {
            case .refused: .connectionRefused
            case .timedOut: .timedOut
            case .exhausted: .overloaded
            case .reset, .unreachable, .addressInUse, .notPermitted, .security, .other:
                .connectFailed
            }
        return ExchangeFailure(
            origin: kind == .overloaded ? .proxy : .upstream, kind: kind,
            message: "cannot connect to \(target.authority): \(error)")
    }

    static func securing(_ error: TLSError, to target: ConnectTarget) -> ExchangeFailure {
        if case .certificate(let problem) = error.kind {
            return ExchangeFailure(
                origin: .upstream, kind: .certificate,
                message: "the certificate of \(target.authority) is not valid: \(problem.message)")
        }
        return ExchangeFailure(
            origin: error.kind == .configuration ? .proxy : .upstream, kind: .tlsHandshake,
            message: "TLS with \(target.authority) failed: \(error.message)")
    }

    static func tooSlow(_ step: String, _ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .timedOut,
            message: "\(step) \(target.authority) took too long")
    }

    static func connectLoop(_ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .loop,
            message: "\(target.authority) is an address of this proxy, or the page of proxyctl "
                + "web: reach it without the proxy")
    }

    /// Worded for the proxy's clients and for programs that pass a `permission` of their own.
    static func connectDenied(
        _ target: ConnectTarget, _ address: SocketAddress
    ) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .refused,
            message: "the address of \(target.authority) is not allowed: \(address.ip)")
    }
}

extension ConnectTarget {
    /// `host:port` for display, with brackets around an IPv6 address.
    var authority: String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
            ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
