package import ProxydEventLoops
package import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Glibc

/// One connection that is being made through an upstream proxy. Loop-confined; retained until it
/// ends or is cancelled.
///
/// ```
/// created ──▶ reaching the proxy (PROXY header, TLS) ──▶ handshaking ──▶ securing ──▶ over
///    │                        ▲────────407, answered────────────┘                     ▲
///    └───────────────────────────── failure, cancel() ────────────────────────────────┘
/// ```
/// The server's name is sent to the proxy and never looked up here.
final class UpstreamOperation: Cancellable {
    typealias Completion = (Result<EstablishedConnection, ExchangeFailure>) -> Void

    private enum State {
        case created
        case working(any Cancellable)
        case handshaking(ProxyHandshakeDriver)
        case over
    }

    private static let attemptCountMax = 3

    private let target: ConnectTarget
    private let route: UpstreamRoute
    private let connector: Connector
    private let deadlineNs: Int64
    private var completion: Completion?
    private var state = State.created
    private var deadline: Timer?
    private var attemptCount = 0
    /// The credentials of the latest attempt.
    private var sent: [UInt8]?
    private var first: ConnectTimings?

    private var proxy: UpstreamProxy { route.proxy }
    private var loop: EventLoop { connector.loop }

    init(
        target: ConnectTarget, through route: UpstreamRoute, connector: Connector,
        deadlineNs: Int64, completion: @escaping Completion
    ) {
        self.target = target
        self.route = route
        self.connector = connector
        self.deadlineNs = deadlineNs
        self.completion = completion
    }

    /// Starts; the completion is not called from within this call.
    func start() {
        if let refusal { return loop.afterDispatch { [self] in fail(refusal) } }
        reach()
    }

    func cancel() {
        loop.preconditionOnLoop()
        _ = end()
    }

    // MARK: The target

    /// The name or address that is sent to the proxy.
    private var host: String { target.route?.address?.ip ?? target.name }

    /// Why the proxy must not be asked for the target; nil if it may be.
    private var refusal: ExchangeFailure? {
        if route.hopCount > HopCount.max { return .chainTooLong(proxy) }
        // If the proxy takes requests, it is the target; the pool checks the requests' servers.
        return route.takesRequests ? nil : connector.refusal(of: target)
    }

    // MARK: Steps

    private func reach() {
        attemptCount += 1
        let proxyTarget = ConnectTarget(host: proxy.host, port: proxy.port, tls: nil)
        let operation = ConnectOperation(
            target: proxyTarget, connector: connector, deadlineNs: deadlineNs, isToUpstream: true
        ) { [self] result in
            switch result {
            case .success(let established): reached(established)
            case .failure(let failure): fail(failure.meeting(proxy))
            }
        }
        state = .working(operation)
        operation.start()
    }

    private func reached(_ established: EstablishedConnection) {
        if !route.header.isEmpty { established.stream.write(route.header) }
        guard let policy = proxy.tls else { return shakeHands(over: established) }
        let proxyTarget = ConnectTarget(host: proxy.host, port: proxy.port, tls: policy)
        state = .working(
            connector.secure(established, for: proxyTarget, deadlineNs: deadlineNs) {
                [self] result in
                switch result {
                case .success(let secured): shakeHands(over: secured)
                case .failure(let failure): fail(failure.meeting(proxy))
                }
            })
    }

    private func shakeHands(over established: EstablishedConnection) {
        if route.takesRequests { return succeed(opened(established)) }
        do throws(ProxyHandshakeError) {
            let handshake = try makeHandshake()
            let driver = ProxyHandshakeDriver(
                established.stream, handshake, takesEarlyBytes: target.tls == nil
            ) { [self] outcome in handshakeEnded(outcome, over: established) }
            state = .handshaking(driver)
            armDeadline()
            driver.start()
        } catch {
            established.stream.abort()
            fail(.upstream(proxy, error, target))
        }
    }

    private func makeHandshake() throws(ProxyHandshakeError) -> any ProxyHandshake {
        switch proxy.kind {
        case .socks5:
            return try SOCKS5Handshake(host: host, port: target.port, password: proxy.password)
        case .socks4a:
            return try SOCKS4Handshake(
                host: host, port: target.port, user: proxy.password?.user ?? "")
        case .http, .https:
            let bare = try HTTPConnectHandshake(host: host, port: target.port)
            var fields = HeaderFields()
            fields.append(name: HopCount.fieldName, value: String(route.hopCount))
            sent = proxy.authorization(method: .connect, target: bare.target)
            if let sent { fields.append(name: Array("Proxy-Authorization".utf8), value: sent) }
            return try HTTPConnectHandshake(host: host, port: target.port, fields: fields)
        }
    }

    private func handshakeEnded(
        _ outcome: ProxyHandshakeDriver.Outcome, over established: EstablishedConnection
    ) {
        guard case .handshaking = state else { return }
        deadline?.cancel()
        deadline = nil
        switch outcome {
        case .established(let early): leadsToServer(opened(established), early: early)
        case .refused(let head) where head.status == 407: challenged(head, established)
        case .refused(let head): fail(.upstream(proxy, refused: head, target))
        case .failed(.handshake(let error)): fail(.upstream(proxy, error, target))
        case .failed(.closedEarly): fail(.upstreamClosed(proxy, target))
        case .failed(.unexpectedBytes): fail(.upstreamSpoke(proxy, target))
        }
    }

    /// The challenge is answered on a new connection: this one carries the rest of a response.
    private func challenged(_ head: ResponseHead, _ established: EstablishedConnection) {
        guard attemptCount < Self.attemptCountMax, proxy.takesChallenge(head, after: sent) else {
            return fail(.upstream(proxy, refused: head, target))
        }
        first = first ?? established.timings
        reach()
    }

    /// The connection to the proxy is established: what follows is for the server.
    private func opened(_ established: EstablishedConnection) -> EstablishedConnection {
        var timings = first ?? established.timings
        timings.connectEnd = EventLoop.monotonicNow()
        timings.tlsStart = nil
        timings.tlsEnd = nil
        return EstablishedConnection(
            stream: established.stream, timings: timings, upstream: proxy.name)
    }

    private func leadsToServer(_ established: EstablishedConnection, early: [UInt8]) {
        var established = established
        if let header = target.route?.header, !header.isEmpty { established.stream.write(header) }
        guard target.tls != nil else {
            established.early = early
            return succeed(established)
        }
        state = .working(
            connector.secure(established, for: target, deadlineNs: deadlineNs) { [self] result in
                switch result {
                case .success(let secured): succeed(secured)
                case .failure(let failure): fail(failure)
                }
            })
    }

    // MARK: Endings

    private func armDeadline() {
        deadline = loop.schedule(afterNs: max(0, deadlineNs &- loop.now)) { [weak self] in
            guard let self else { return }
            fail(ExchangeFailure.tooSlow("opening a tunnel to", target).meeting(proxy))
        }
    }

    private func succeed(_ established: EstablishedConnection) {
        // Changes the state first, so that `end()` does not abort the new connection.
        state = .over
        end()?(.success(established))
    }

    private func fail(_ failure: ExchangeFailure) { end()?(.failure(failure)) }

    private func end() -> Completion? {
        defer { completion = nil }
        deadline?.cancel()
        deadline = nil
        let last = state
        state = .over
        switch last {
        case .created, .over: break
        case .working(let attempt): attempt.cancel()
        case .handshaking(let driver): driver.cancel()
        }
        return completion
    }
}

extension SocketAddress {
    /// The address that a proxy could read in a text, in any spelling that `inet_aton` accepts.
    init?(literal text: String, port: UInt16) {
        if let address = SocketAddress(ip: text, port: port) {
            self = address
            return
        }
        var v4 = in_addr()
        guard !text.utf8.contains(0), inet_aton(text, &v4) == 1 else { return nil }
        self.init(ipv4: UInt32(bigEndian: v4.s_addr), port: port)
    }
}

/// Runs a handshake over a connection to a proxy. Confined to its loop; lives until it ends or is
/// cancelled.
package final class ProxyHandshakeDriver: DuplexStreamDelegate {
    /// The result. Except for `.established`, the connection is closed.
    package enum Outcome {
        /// The connection leads to the server, which has sent these bytes.
        case established(early: [UInt8])
        case refused(ResponseHead)
        /// There is no connection, for another reason.
        case failed(Failure)
    }

    /// Why there is no connection to the server.
    package enum Failure: Sendable {
        /// The proxy closed or broke the connection before it had answered.
        case closedEarly
        /// The proxy sent a refusal other than an HTTP response, or violated the protocol.
        case handshake(ProxyHandshakeError)
        /// Bytes arrived as if from the server before anything was sent to it.
        case unexpectedBytes
    }

    private let stream: any DuplexStream
    /// Whether the server may speak first: its bytes can then arrive together with the proxy's last
    /// response.
    private let takesEarlyBytes: Bool
    private var handshake: any ProxyHandshake
    private var completion: ((Outcome) -> Void)?

    /// Prepares a handshake over a connection; `completion` is called once.
    package init(
        _ stream: any DuplexStream, _ handshake: any ProxyHandshake, takesEarlyBytes: Bool,
        completion: @escaping (Outcome) -> Void
    ) {
        self.stream = stream
        self.handshake = handshake
        self.takesEarlyBytes = takesEarlyBytes
        self.completion = completion
    }

    /// Sends the first message. From here on the stream keeps its delegate, and so this object,
    /// alive.
    package func start() {
        stream.delegate = self
        stream.write(handshake.begin())
    }

    package func cancel() {
        completion = nil
        stream.abort()
    }

    package func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        do throws(ProxyHandshakeError) {
            switch try handshake.receive(bytes) {
            case .needsMoreInput: break
            case .send(let bytes): stream.write(bytes)
            case .refused(let head): close(.refused(head))
            case .established(let leftover) where leftover.isEmpty || takesEarlyBytes:
                end(.established(early: Array(leftover)))
            // TLS servers never speak first: such bytes would be taken for the response.
            case .established: close(.failed(.unexpectedBytes))
            }
        } catch {
            close(.failed(.handshake(error)))
        }
    }

    package func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        close(.failed(.closedEarly))
    }

    /// Does nothing: the messages are short.
    package func streamDidDrain(_ stream: any DuplexStream) {}

    package func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        end(.failed(.closedEarly))
    }

    private func close(_ outcome: Outcome) {
        stream.abort()
        end(outcome)
    }

    private func end(_ outcome: Outcome) {
        defer { completion = nil }
        completion?(outcome)
    }
}
