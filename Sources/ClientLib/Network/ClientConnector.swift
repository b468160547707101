internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS
internal import ProxydTransport

/// Creates connections for a client: through its proxies, checked by its trust evaluators, with its
/// client certificates. Expensive parts are created on first use. Confined to its loop.
final class ClientConnector: Connecting {
    typealias Completion = (Result<EstablishedConnection, ExchangeFailure>) -> Void

    private let loop: EventLoop
    private let resolver: Resolver
    private let options: NetworkOptions
    private let authorizer: ProxyAuthorizer
    private var plain: Connector?
    private var secured: [SecuredConnector.Key: SecuredConnector] = [:]

    /// The underlying error of a failure while it is being reported. Nil outside that call, and if
    /// the failure needs no further explanation.
    private(set) var errorBeingTold: ClientError?
    /// Bytes that the server sent early through a proxy, while a raw connection is being reported.
    /// Empty outside that call.
    private(set) var earlyBytesBeingTold: [UInt8] = []

    init(
        loop: EventLoop, resolver: Resolver, options: NetworkOptions, authorizer: ProxyAuthorizer
    ) {
        self.loop = loop
        self.resolver = resolver
        self.options = options
        self.authorizer = authorizer
    }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64, completion: @escaping Completion
    ) -> any Cancellable {
        connect(
            to: target, through: tunnelProxy(for: target), isRaw: false, deadlineNs: deadlineNs,
            completion)
    }

    /// Creates a connection without HTTP; every proxy must create a tunnel for it. The caller
    /// enforces time limits.
    func connectRaw(to target: ConnectTarget, completion: @escaping Completion) -> any Cancellable {
        let deadlineNs = loop.now &+ .max / 4
        return connect(
            to: target, through: proxy(for: target), isRaw: true, deadlineNs: deadlineNs,
            completion)
    }

    private func connect(
        to target: ConnectTarget, through proxy: ProxyServer?, isRaw: Bool, deadlineNs: Int64,
        _ completion: @escaping Completion
    ) -> any Cancellable {
        let completion = checked(target, completion)
        do throws(ClientError) {
            let secure = try target.tls.map { _ throws(ClientError) in try connector(for: target) }
            if let proxy {
                let plan = ProxyTunnel.Plan(
                    proxy: proxy, target: target, deadlineNs: deadlineNs, loop: loop,
                    resolver: resolver, plain: try plainConnector(), secure: secure?.connector,
                    authorizer: authorizer, takesEarlyBytes: isRaw && secure == nil)
                return tunnel(by: plan, secure, completion)
            }
            guard let secure else {
                return try plainConnector().connect(
                    to: options.addressRules.resolved(target), deadlineNs: deadlineNs,
                    completion: completion)
            }
            return secure.connector.connect(
                to: options.addressRules.resolved(target), deadlineNs: deadlineNs
            ) { [self] result in tell(result, of: secure, to: completion) }
        } catch {
            return refuse(error, completion)
        }
    }

    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping Completion
    ) -> any Cancellable {
        let completion = checked(target, completion)
        do throws(ClientError) {
            let secure = try connector(for: target)
            return secure.connector.secure(established, for: target, deadlineNs: deadlineNs) {
                [self] result in tell(result, of: secure, to: completion)
            }
        } catch {
            established.stream.abort()
            return refuse(error, completion)
        }
    }

    /// A client's trust settings do not change during its life.
    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {}

    // MARK: Connectors

    private func plainConnector() throws(ClientError) -> Connector {
        if let plain { return plain }
        let made: Connector
        do throws(TLSError) {
            made = try SecuredConnector.plain(
                loop: loop, resolver: resolver, addressRules: options.addressRules)
        } catch {
            throw ClientError(.network(.tlsHandshake), fault: .library, message: error.message)
        }
        plain = made
        return made
    }

    private func connector(for target: ConnectTarget) throws(ClientError) -> SecuredConnector {
        do throws(ServerTrustError) {
            let host = target.tls?.verifyName ?? target.host
            let judge = try options.serverTrust?.match(host, port: target.port)
            let identity = options.clientCertificates.match(host)
            let key = SecuredConnector.Key(evaluator: judge?.entry, identity: identity?.entry)
            if let known = secured[key] { return known }
            let made = try SecuredConnector(
                loop: loop, resolver: resolver, authorities: options.authorities,
                evaluator: judge?.value, identity: identity?.value,
                addressRules: options.addressRules)
            secured[key] = made
            return made
        } catch {
            throw ClientError(error)
        }
    }

    // MARK: Proxies

    /// The proxy that a connection is tunnelled through. Plain requests to an HTTP proxy need no
    /// tunnel: the proxy is their target.
    private func tunnelProxy(for target: ConnectTarget) -> ProxyServer? {
        guard let proxy = proxy(for: target) else { return nil }
        let isProxyItself =
            target.tls == nil && proxy.kind == .http && target.host == proxy.host
            && target.port == proxy.port
        return isProxyItself ? nil : proxy
    }

    /// The proxy for a server, or nil if it is connected to directly.
    private func proxy(for target: ConnectTarget) -> ProxyServer? {
        let proxies = options.proxies
        guard !proxies.bypass.contains(host: target.host, port: target.port) else { return nil }
        return target.tls != nil ? proxies.https : proxies.http
    }

    private func tunnel(
        by plan: ProxyTunnel.Plan, _ secure: SecuredConnector?, _ completion: @escaping Completion
    ) -> any Cancellable {
        let tunnel = ProxyTunnel(plan) { [self] result in
            switch result {
            case .success(let made):
                earlyBytesBeingTold = made.earlyBytes
                defer { earlyBytesBeingTold = [] }
                completion(.success(made.connection))
            case .failure(.exchange(let failure)):
                guard let secure else { return completion(.failure(failure)) }
                tell(.failure(failure), of: secure, to: completion)
            case .failure(.proxy(let error)):
                tell(ClientError(error, of: plan.proxy), kind: .connectFailed, to: completion)
            }
        }
        tunnel.start()
        return tunnel
    }

    // MARK: Failures

    /// Rejects a connection if the server did not accept the only version that was offered.
    private func checked(
        _ target: ConnectTarget, _ completion: @escaping Completion
    ) -> Completion {
        guard target.wantsHTTP2Only else { return completion }
        return { [self] result in
            guard case .success(let established) = result, established.security?.alpn != "h2"
            else { return completion(result) }
            established.stream.abort()
            tell(
                ClientError(
                    .unsupported, phase: .connect, fault: .server,
                    message: "the server does not speak HTTP/2"),
                kind: .tlsHandshake, to: completion)
        }
    }

    private func tell(
        _ result: Result<EstablishedConnection, ExchangeFailure>, of secure: SecuredConnector,
        to completion: Completion
    ) {
        if case .failure(let failure) = result, failure.kind == .certificate,
            let refusal = secure.verifier?.takeRefusal()
        {
            return tell(ClientError(refusal), kind: .certificate, to: completion)
        }
        completion(result)
    }

    private func tell(_ error: ClientError, kind: ExchangeFailure.Kind, to completion: Completion) {
        errorBeingTold = error
        defer { errorBeingTold = nil }
        completion(.failure(ExchangeFailure(origin: .upstream, kind: kind, message: error.message)))
    }

    /// Fails an attempt that could not start, after this call has returned.
    private func refuse(
        _ error: ClientError, _ completion: @escaping Completion
    ) -> any Cancellable {
        let refusal = Refusal()
        loop.afterDispatch { [self] in
            if !refusal.isCancelled { tell(error, kind: .refused, to: completion) }
        }
        return refusal
    }

    private final class Refusal: Cancellable {
        private(set) var isCancelled = false
        func cancel() { isCancelled = true }
    }
}

/// Creates secure connections to hosts that share an evaluator and a client certificate. Confined
/// to its loop.
struct SecuredConnector {
    /// The table entries that the hosts match; nil if there is none.
    struct Key: Hashable {
        let evaluator: String?
        let identity: String?
    }

    let connector: Connector
    /// Lets the evaluator check servers, or nil if only the authorities are used.
    let verifier: ServerTrustVerifier?

    init(
        loop: EventLoop, resolver: Resolver, authorities: AuthorityStore,
        evaluator: (any ServerTrustEvaluating)?, identity: ClientCertificate?,
        addressRules: AddressRules
    ) throws(ServerTrustError) {
        verifier = evaluator.map { ServerTrustVerifier($0, authorities: authorities) }
        // An evaluator may need no authorities: it loads them itself when necessary.
        let store = verifier == nil ? try authorities.store() : nil
        do throws(TLSError) {
            connector = SecuredConnector.make(
                loop, resolver,
                try TLSClientContext(
                    store: store, identity: identity?.identity, verifier: verifier),
                addressRules)
        } catch {
            throw .authoritiesUnavailable(message: error.message)
        }
    }

    static func plain(
        loop: EventLoop, resolver: Resolver, addressRules: AddressRules
    ) throws(TLSError) -> Connector {
        make(loop, resolver, try TLSClientContext(store: nil), addressRules)
    }

    private static func make(
        _ loop: EventLoop, _ resolver: Resolver, _ context: TLSClientContext,
        _ addressRules: AddressRules
    ) -> Connector {
        var limits = ConnectLimits()
        // Calls enforce their own limits, which may be longer than a connector's.
        limits.lookupNs = .max / 4
        limits.handshakeNs = .max / 4
        return Connector(loop: loop, resolver: resolver, tls: context, limits: limits) {
            addressRules.allows($0.ip) ? .granted : .denied
        }
    }
}

/// The addresses that a session may connect to.
public struct AddressRules: Sendable {
    /// A host and port with a fixed address.
    private struct Endpoint: Hashable {
        /// The host in the form of `HostName.canonical`.
        let host: String
        let port: UInt16
    }

    /// Whether connecting to an address, without brackets, is allowed. Called for each address that
    /// a name resolves to, and for a proxy's, immediately before connecting to it, on a network
    /// thread: it must not block. A refusal is `.network(.refused)`.
    public var allows: @Sendable (_ address: String) -> Bool
    private var addresses: [Endpoint: String] = [:]

    /// Creates rules, which allow all addresses by default.
    public init(allows: @escaping @Sendable (_ address: String) -> Bool = { _ in true }) {
        self.allows = allows
    }

    /// Connects to `address`, an IP address without brackets, instead of looking up `host` for
    /// `port`, as curl's `--resolve` does; TLS and `Host` still use the host's name. A proxy
    /// resolves names itself.
    public mutating func resolve(_ host: String, port: UInt16, to address: String) {
        addresses[Endpoint(host: HostName.canonical(host), port: port)] = address
    }

    /// The target with its fixed address, if it has one.
    func resolved(_ target: ConnectTarget) -> ConnectTarget {
        guard let address = addresses[Endpoint(host: target.name, port: target.port)] else {
            return target
        }
        return ConnectTarget(host: address, port: target.port, tls: target.tls)
    }
}
