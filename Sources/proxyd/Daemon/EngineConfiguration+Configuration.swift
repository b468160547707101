internal import ProxydCivilTime
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProcessAttribution
internal import ProxydProxyEngine
internal import ProxydTLS
internal import ProxydTransport
internal import Synchronization

extension EngineConfiguration {
    init(
        _ configuration: Configuration, access: AccessByListener,
        interception: InterceptionSwitch, routes: RouteTable?, descriptorCountMax: Int
    ) {
        self.init()
        self.routes = routes
        isClientAllowed = { client, listener in access[listener].allows(client.ip) }
        isPROXYHeaderTrusted = { client, listener in access[listener].trusts(client.ip) }
        wireLimits = WireLimits(configuration)
        bodyCaptureByteCountMax = configuration.recording.bodyCaptureByteCountMax
        http2Frames = Self.frames(configuration.recording)
        viaPseudonym = configuration.forwarding.viaPseudonym
        addsDate = configuration.forwarding.addsDate
        keepsHost = configuration.forwarding.keepsHost
        explainsInsideTLS = configuration.forwarding.explainsInsideTLS
        removesAltSvc = configuration.forwarding.removesAltSvc
        ownHostNames = Set(configuration.forwarding.ownHostNames.map { $0.lowercased() })
        identifiesClients = configuration.attribution.isEnabled
        slowsClientsWhenCongested = configuration.recording.whenQueueFull == .slow
        connectionCountMax = EngineConfiguration.connectionCountMax(
            configuration.limits.clientConnectionCountMax, descriptorCountMax: descriptorCountMax)
        setTimeouts(configuration.timeouts)
        setPolicies(configuration)
        self.interception = { interception[$0, $1] ? .intercept : .passThrough }
    }

    /// Bytes are omitted if anything must not be stored: they include all fields and parameters.
    fileprivate static func frames(_ recording: Configuration.Recording) -> HTTP2Frames {
        switch recording.http2Frames {
        case .none: .none
        case .bytes where recording.unstoredFields.isEmpty && recording.unstoredParameters.isEmpty:
            .bytes(max: recording.bodyCaptureByteCountMax)
        case .timeline, .bytes: .timeline
        }
    }

    private mutating func setTimeouts(_ timeouts: Configuration.Timeouts) {
        headTimeoutNs = nanoseconds(timeouts.requestHeadSeconds)
        idleTimeoutNs = nanoseconds(timeouts.clientIdleSeconds)
        halfClosedTimeoutNs = Nanoseconds.clamping(
            milliseconds: Int64(timeouts.halfClosedMilliseconds))
        responseTimeoutNs = nanoseconds(timeouts.responseHeadSeconds)
        bodyIdleTimeoutNs = nanoseconds(timeouts.bodyIdleSeconds)
        handshakeTimeoutNs = nanoseconds(timeouts.tlsHandshakeSeconds)
        tunnelIdleTimeoutNs = nanoseconds(timeouts.tunnelIdleSeconds)
        halfClosedTunnelTimeoutNs = nanoseconds(timeouts.halfClosedTunnelSeconds)
        peekTimeoutNs = Nanoseconds.clamping(milliseconds: Int64(timeouts.tunnelPeekMilliseconds))
    }

    private mutating func setPolicies(_ configuration: Configuration) {
        let forwarding = configuration.forwarding
        isConnectPortAllowed = { forwarding.allowsConnect(toPort: $0) }
        isTargetDenied = { forwarding.denies(targetAt: $0.ip) }
        let tls = configuration.tls
        isVerificationRequired = { tls.verifies(host: $0, port: $1) }
    }

    /// Descriptors reserved for the store, log, listeners, name lookups and error responses.
    private static let reservedDescriptorCount = 256

    /// A connection may need two descriptors; with none left for the store, captures would be lost.
    private static func connectionCountMax(_ wanted: Int, descriptorCountMax: Int) -> Int {
        let reserve = min(reservedDescriptorCount, descriptorCountMax / 2)
        let possible = max(1, descriptorCountMax - reserve)
        return wanted == 0 ? possible : min(wanted, possible)
    }
}

extension HTTPTransport.Options {
    init(_ configuration: Configuration) {
        self.init()
        connectTimeoutNs = nanoseconds(configuration.timeouts.connectSeconds)
        connectLimits.lookupNs = nanoseconds(configuration.timeouts.resolveSeconds)
        connectLimits.handshakeNs = nanoseconds(configuration.timeouts.tlsHandshakeSeconds)
        idleTimeoutNs = nanoseconds(configuration.timeouts.upstreamIdleSeconds)
        idlePerTargetCountMax = configuration.limits.idleConnectionsPerOriginCountMax
        idleCountMax = configuration.limits.idleConnectionsCountMax
        wireLimits = WireLimits(configuration)
        connectionFrames = EngineConfiguration.frames(configuration.recording).detail
    }
}

extension WireLimits {
    /// The configured limits on heads, and how strictly responses are parsed.
    init(_ configuration: Configuration) {
        self.init()
        hasStrictResponses = configuration.forwarding.hasStrictResponses
        let limits = configuration.limits
        responseHeadByteCountMax = limits.responseHeadByteCountMax
        responseFieldCountMax = limits.responseFieldCountMax
        requestLineByteCountMax = limits.requestLineByteCountMax
        headByteCountMax = limits.headByteCountMax
        fieldCountMax = limits.fieldCountMax
        trailerByteCountMax = limits.trailerByteCountMax
        informationalCountMax = limits.informationalCountMax
    }
}

/// Converts a configured number of seconds to nanoseconds; 0 means forever.
private func nanoseconds(_ seconds: Int) -> Int64 {
    seconds == 0 ? EngineConfiguration.forever : Nanoseconds.clamping(seconds: Int64(seconds))
}

extension RouteTable {
    /// Creates the table of a configuration; nil if it has neither upstream proxies nor client
    /// certificates.
    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init?(
        _ configuration: Configuration, environment: [String: String]
    ) throws(ConfigurationError) {
        let upstreams = try configuration.allUpstreams(environment)
        let certificates = configuration.clientCertificates
        guard !upstreams.isEmpty || !certificates.isEmpty else { return nil }
        self.init()
        let proxies = upstreams.map { ($0, UpstreamProxy($0, configuration.tls)) }
        upstream = { host, port, isPlain in
            proxies.first { $0.0.takes(host: host, port: port, isPlain: isPlain) }?.1
        }
        upstreamNamed = { name in proxies.first { $0.0.name == name }?.1 }
        certificate = { host, port in
            certificates.first { $0.isFor(host: host, port: port) }?.identity
        }
        certificateNamed = { name in certificates.first { $0.name == name }?.identity }
    }
}

extension Configuration {
    /// The configured upstream proxies, followed by those from the environment if they are used.
    func allUpstreams(
        _ environment: [String: String]
    ) throws(ConfigurationError) -> [Configuration.Upstream] {
        guard forwarding.takesUpstreamFromEnvironment else { return upstreams }
        return upstreams + (try EnvironmentUpstreams.read(environment))
    }
}

extension UpstreamProxy {
    fileprivate convenience init(_ upstream: Configuration.Upstream, _ tls: Configuration.TLS) {
        let url = upstream.url
        let kind: Kind =
            switch url.scheme {
            case .http: .http
            case .https: .https
            case .socks5: .socks5
            case .socks4a: .socks4a
            }
        self.init(
            name: upstream.name, kind: kind, host: url.host, port: url.port,
            password: upstream.user.map {
                ProxyPassword(user: $0, password: upstream.password?.text ?? "")
            },
            headerVersion: upstream.headerVersion.flatMap(PROXYVersion.init),
            isVerified: tls.verifies(host: url.host, port: url.port))
    }
}

/// Whether TLS to a host is intercepted: as configured, unless the host has been switched since the
/// start. Hosts outside the authority's scope are never intercepted, because no certificate for
/// them would be accepted.
final class InterceptionSwitch: Sendable {
    private struct State {
        var tls: Configuration.TLS
        /// Hosts that were switched, in lower case.
        var switched: [String: Bool] = [:]
    }

    /// More hosts than a user would switch manually.
    private static let countMax = 1_000

    private let scope: AuthorityScope
    private let state: Mutex<State>

    init(_ tls: Configuration.TLS, _ scope: AuthorityScope) {
        self.scope = scope
        state = Mutex(State(tls: tls))
    }

    /// Uses another configuration; switched hosts stay switched.
    func use(_ tls: Configuration.TLS) { state.withLock { $0.tls = tls } }

    subscript(_ host: String, _ port: UInt16) -> Bool {
        guard scope.permits(host) else { return false }
        return state.withLock { state in
            state.switched[host.lowercased()] ?? state.tls.intercepts(host: host, port: port)
        }
    }

    /// Why a host was not switched, as a message for users.
    struct Refusal: Error, Hashable {
        let message: String
    }

    /// Switches a host on or off for its next connections; returns whether it is now intercepted.
    func toggle(_ host: String, _ port: UInt16) throws(Refusal) -> Bool {
        guard scope.permits(host) else {
            throw Refusal(
                message: "the CA is not permitted to issue certificates for \(host): "
                    + "its TLS is not intercepted")
        }
        let name = host.lowercased()
        let isNow: Bool? = state.withLock { state in
            let isIntercepted = state.switched[name] ?? state.tls.intercepts(host: host, port: port)
            guard
                state.switched[name] != nil || state.switched.count < InterceptionSwitch.countMax
            else { return nil }
            state.switched[name] = !isIntercepted
            return !isIntercepted
        }
        guard let isNow else {
            throw Refusal(
                message: "\(InterceptionSwitch.countMax) hosts have been switched since proxyd "
                    + "started; restart it to switch others")
        }
        return isNow
    }

    /// The hosts that were switched, by name, and whether they are intercepted.
    var switched: [(host: String, isIntercepted: Bool)] {
        state.withLock { $0.switched }.sorted { $0.key < $1.key }
            .map { (host: $0.key, isIntercepted: $0.value) }
    }
}

/// Identifies the local program that opened a connection, for the engine.
final class ProgramIdentifier: ClientIdentifier {
    private let attributor = ProcessAttributor()

    func identify(
        client: SocketAddress, proxy: SocketAddress,
        completion: @escaping @Sendable (ConnectionRecord.ClientProcess?) -> Void
    ) {
        guard let far = TCPEndpoint(ip: client.ip, port: client.port),
            let near = TCPEndpoint(ip: proxy.ip, port: proxy.port)
        else { return completion(nil) }
        attributor.lookUp(client: far, local: near) { process in
            completion(process.map { ConnectionRecord.ClientProcess(pid: $0.pid, name: $0.name) })
        }
    }
}
