internal import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydTransport

/// Establishes a connection through a proxy. Confined to its loop until it ends or is cancelled.
///
/// ```
/// created ──▶ resolving ──▶ connecting ──▶ handshaking ──▶ securing ──▶ over
///    └──────────────────────▲    ▲───407 answered──────┘                  ▲
///                                └──────── failure, cancel() ─────────────┘
/// ```
final class ProxyTunnel: Cancellable {
    typealias Completion = (Result<Made, Failure>) -> Void

    /// An established connection to the server.
    struct Made {
        let connection: EstablishedConnection
        /// Bytes that the server sent before anything was sent to it.
        let earlyBytes: [UInt8]
    }

    /// Why there is no connection.
    enum Failure: Error {
        /// The proxy failed or refused.
        case proxy(ProxyError)
        /// The server behind the proxy failed, or this client did.
        case exchange(ExchangeFailure)
    }

    /// The target and the means to reach it.
    struct Plan {
        let proxy: ProxyServer
        let target: ConnectTarget
        let deadlineNs: Int64
        let loop: EventLoop
        let resolver: Resolver
        /// Connects to the proxy.
        let plain: Connector
        /// Secures the connection to the server, or nil for a plain one.
        let secure: Connector?
        let authorizer: ProxyAuthorizer
        /// Whether the server may speak first.
        var takesEarlyBytes = false
    }

    private enum State {
        case created
        case resolving(LookupRequest)
        case working(any Cancellable)
        case handshaking(ProxyHandshakeDriver)
        case over
    }

    private let plan: Plan
    private var state = State.created
    private var completion: Completion?
    private var attempts = AuthenticationAttempts()
    /// The credentials that answer the proxy's challenge.
    private var answer: [UInt8]?
    /// The server's name or address as it is sent to the proxy.
    private var host: String
    private var earlyBytes: [UInt8] = []

    init(_ plan: Plan, completion: @escaping Completion) {
        self.plan = plan
        self.completion = completion
        host = plan.target.host
    }

    /// Starts the attempt. `completion` is called once, never from within this call.
    func start() {
        guard plan.proxy.kind == .socks5, InternetAddress(host) == nil else { return connect() }
        let lookup = plan.resolver.resolve(
            host, port: plan.target.port, timeoutNs: max(0, plan.deadlineNs &- plan.loop.now),
            on: plan.loop
        ) { [self] in resolved($0) }
        state = .resolving(lookup)
    }

    func cancel() { _ = end() }

    // MARK: Steps

    private func resolved(_ outcome: Resolver.Outcome) {
        guard case .resolving = state else { return }
        // IPv4 is preferred: few proxies have a route to IPv6, and they cannot be asked.
        guard let addresses = try? outcome.get(),
            let address = addresses.first(where: { $0.family == .ipv4 }) ?? addresses.first
        else { return fail(.proxy(.nameResolution)) }
        host = address.ip
        connect()
    }

    private func connect() {
        let proxy = ConnectTarget(host: plan.proxy.host, port: plan.proxy.port, tls: nil)
        state = .working(
            plan.plain.connect(to: proxy, deadlineNs: plan.deadlineNs) { [self] in connected($0) })
    }

    private func connected(_ result: Result<EstablishedConnection, ExchangeFailure>) {
        switch result {
        case .success(let established): shakeHands(over: established)
        // Local resources are not the proxy's fault: code that waits for free ones must see this
        // error.
        case .failure(let failure) where failure.kind == .overloaded: fail(.exchange(failure))
        case .failure(let failure): fail(.proxy(.unreachable(failure.kind)))
        }
    }

    private func shakeHands(over established: EstablishedConnection) {
        do throws(ProxyHandshakeError) {
            let driver = ProxyHandshakeDriver(
                established.stream, try makeHandshake(), takesEarlyBytes: plan.takesEarlyBytes
            ) { [self] outcome in handshakeEnded(outcome, over: established) }
            state = .handshaking(driver)
            driver.start()
        } catch {
            established.stream.abort()
            fail(.proxy(.handshakeFailed(error)))
        }
    }

    private func makeHandshake() throws(ProxyHandshakeError) -> any ProxyHandshake {
        let port = plan.target.port
        guard plan.proxy.kind == .http else {
            return try SOCKS5Handshake(host: host, port: port, password: try socksPassword())
        }
        let bare = try HTTPConnectHandshake(host: host, port: port)
        let credentials =
            answer
            ?? plan.authorizer.first(for: asked(bare.target), of: plan.proxy, attempts: &attempts)
        answer = nil
        guard let credentials else { return bare }
        var fields = HeaderFields()
        fields.append(name: Array("Proxy-Authorization".utf8), value: credentials)
        return try HTTPConnectHandshake(host: host, port: port, fields: fields)
    }

    private func socksPassword() throws(ProxyHandshakeError) -> ProxyPassword? {
        switch plan.proxy.credential {
        case .password(let user, let password): ProxyPassword(user: user, password: password)
        case .bearer: throw .badCredential
        case nil: nil
        }
    }

    private func asked(_ target: [UInt8]) -> AuthenticatedRequest {
        AuthenticatedRequest(method: .connect, target: target, proxy: plan.proxy.url, body: [])
    }

    private func handshakeEnded(
        _ outcome: ProxyHandshakeDriver.Outcome, over established: EstablishedConnection
    ) {
        guard case .handshaking = state else { return }
        switch outcome {
        case .established(let early):
            earlyBytes = early
            leadsToServer(established)
        case .refused(let head) where head.status == 407: challenged(head)
        case .refused(let head): fail(.proxy(.refused(status: head.status)))
        case .failed(let failure): fail(.proxy(ProxyError(failure)))
        }
    }

    private func challenged(_ head: ResponseHead) {
        if let bare = try? HTTPConnectHandshake(host: host, port: plan.target.port) {
            answer = plan.authorizer.answer(
                to: head, for: asked(bare.target), of: plan.proxy, attempts: &attempts)
        }
        if answer == nil { fail(.proxy(ProxyAuthorizer.error(for: head))) } else { connect() }
    }

    private func leadsToServer(_ established: EstablishedConnection) {
        guard let secure = plan.secure else { return succeed(established) }
        state = .working(
            secure.secure(established, for: plan.target, deadlineNs: plan.deadlineNs) {
                [self] result in
                switch result {
                case .success(let secured): succeed(secured)
                case .failure(let failure): fail(.exchange(failure))
                }
            })
    }

    private func succeed(_ connection: EstablishedConnection) {
        finish(.success(Made(connection: connection, earlyBytes: earlyBytes)))
    }

    // MARK: Endings

    private func fail(_ failure: Failure) { finish(.failure(failure)) }

    private func finish(_ result: Result<Made, Failure>) {
        // The state is changed first, so that ending does not cancel the new connection.
        state = .over
        end()?(result)
    }

    private func end() -> Completion? {
        defer { completion = nil }
        switch state {
        case .created, .over: break
        case .resolving(let lookup): lookup.cancel()
        case .working(let attempt): attempt.cancel()
        case .handshaking(let driver): driver.cancel()
        }
        state = .over
        return completion
    }
}

/// Why a request did not get through its proxy.
public enum ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The proxy itself cannot be reached.
    case unreachable(ExchangeFailure.Kind)
    /// The proxy requires credentials, or rejected those it got (407); `schemes` are those it
    /// accepts.
    case authenticationRequired(schemes: [String])
    /// The proxy responded to CONNECT with a status other than 2xx.
    case refused(status: Int)
    /// The connection was closed or failed before the proxy had answered.
    case closedEarly
    /// The proxy refused in its protocol, or violated the protocol.
    case handshakeFailed(ProxyHandshakeError)
    /// Bytes arrived in the server's name before anything was sent to the server.
    case unexpectedBytes
    /// A name that must be resolved locally has no address.
    case nameResolution

    public var description: String {
        switch self {
        case .unreachable(let kind): "cannot be reached (\(kind.rawValue))"
        case .authenticationRequired(let schemes):
            "requires other credentials (407; \(schemes.joined(separator: ", ")))"
        case .refused(let status): "refused a tunnel to the server (\(status))"
        case .closedEarly: "closed the connection before it had answered"
        case .handshakeFailed(let error): "could not connect: \(error)"
        case .unexpectedBytes: "sent unexpected bytes"
        case .nameResolution: "cannot be given an address: the server's name has none"
        }
    }

    init(_ failure: ProxyHandshakeDriver.Failure) {
        self =
            switch failure {
            case .closedEarly: .closedEarly
            case .handshake(let error): .handshakeFailed(error)
            case .unexpectedBytes: .unexpectedBytes
            }
    }

    /// The party at fault: the caller for wrong credentials, the server if the proxy could not
    /// reach it, otherwise the network.
    var fault: ClientError.Fault {
        switch self {
        case .authenticationRequired: .caller
        case .handshakeFailed(let error):
            switch error {
            case .badDestination, .badCredential, .noAcceptableMethod, .authenticationFailed:
                .caller
            case .connectionRefused, .hostUnreachable: .server
            default: .network
            }
        case .unreachable(.overloaded): .library
        case .refused(502...504): .server
        case .unreachable, .refused, .closedEarly, .unexpectedBytes, .nameResolution: .network
        }
    }
}

extension ClientError {
    /// The error for a failed proxy. Of the proxy's URL, it includes only host and port.
    init(_ error: ProxyError, of proxy: ProxyServer) {
        self.init(
            .proxyFailed, phase: .proxy, fault: error.fault,
            message: "the proxy \(proxy) \(error)", underlying: error)
    }
}
