internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// One loop's part of a network transport: the turns of hosts, connections and time limits.
///
/// Sendable, although confined to its loop. Proof: `loop` is immutable; everything else is accessed
/// only by members that call `preconditionOnLoop()` or are called by such, and by `deinit`, when no
/// other reference exists.
final class LoopTransport: @unchecked Sendable {
    let loop: EventLoop
    private let options: NetworkOptions
    private let connector: ClientConnector
    private let authorizer = ProxyAuthorizer()
    private var transport: HTTPTransport?
    private var routes: [RouteKey: HostRoute] = [:]
    private let turns: PerHostLimiterTable
    private var running: [NetworkCall] = []
    private var connectionCount: Int64 = 0
    private var timer: Timer?
    /// When the timer fires, or `.max` if it is not set.
    private var watchedNs = Int64.max

    private struct RouteKey: Hashable {
        let origin: PerHostLimiterTable.Origin
        let protocols: [HTTPProtocol]
        let wantsTunnel: Bool
    }

    /// From this number on, idle routes are removed.
    private static let routeCountMax = 256

    init(loop: EventLoop, resolver: Resolver, options: NetworkOptions, turns: PerHostLimiterTable) {
        self.loop = loop
        self.options = options
        self.turns = turns
        connector = ClientConnector(
            loop: loop, resolver: resolver, options: options, authorizer: authorizer)
    }

    // MARK: Calls

    func submit(_ call: NetworkCall) {
        loop.preconditionOnLoop()
        guard !call.isOver else { return }
        let route = route(for: call.request)
        call.enter(route)
        track(call)
        if let refusal = refusal(of: call.request.url) { return call.end(.failed(refusal)) }
        if route.turns.admit(call) { call.begin(over: transport ?? makeTransport()) }
    }

    /// A call has ended: the next one of its host may run.
    func leave(_ call: NetworkCall, hadTurn: Bool) {
        untrack(call)
        guard let turns = call.route?.turns else { return }
        if hadTurn { passTurn(turns) } else { turns.forget(call) }
    }

    /// A call continues without its turn.
    func giveTurn(of call: NetworkCall) {
        if let turns = call.route?.turns { passTurn(turns) }
    }

    /// Passes a turn to the next call, which may be on another loop.
    private func passTurn(_ turns: PerHostLimiter) {
        if let next = turns.leave() { start(next, turns) }
    }

    private func start(_ next: NetworkCall, _ turns: PerHostLimiter) {
        let loopTransport = next.loopTransport
        if loopTransport === self {
            take(turns, for: next)
        } else {
            loopTransport.loop.execute { loopTransport.take(turns, for: next) }
        }
    }

    /// Starts a call whose turn has come, or passes the turn on if the call has ended in the
    /// meantime.
    private func take(_ turns: PerHostLimiter, for call: NetworkCall) {
        guard call.route != nil else { return passTurn(turns) }
        call.begin(over: transport ?? makeTransport())
    }

    /// Records that a server uses HTTP/1.1: the limit applies to connections.
    func noteConnections(on route: HostRoute) {
        setLimit(of: route, options.connectionsPerHostCountMax)
    }

    /// Records that a server uses HTTP/2, and its settings. Calls share one connection, so the
    /// limit applies to streams; the server may allow fewer than the configured number.
    func noteStreams(on route: HostRoute, _ facts: HTTP2ConnectionFacts?) {
        let wanted = facts?.peerSettings.last(where: \.isConcurrentStreamCountMax)?.value ?? .max
        setLimit(of: route, max(1, min(options.streamsPerHostCountMax, Int(wanted))))
    }

    private func setLimit(of route: HostRoute, _ limit: Int) {
        for next in route.turns.setLimit(limit) { start(next, route.turns) }
    }

    /// The underlying error of a connection failure while it is being reported.
    var errorBeingTold: ClientError? { connector.errorBeingTold }
    /// Bytes that a raw connection's server sent early, while the connection is reported.
    var earlyBytesBeingTold: [UInt8] { connector.earlyBytesBeingTold }

    /// A call's request as it is sent over a line.
    func message(of call: NetworkCall, over route: HostRoute) -> ForwardedRequest {
        call.message(through: route.proxy, authorizer)
    }

    func proxyAsked(_ head: ResponseHead, _ call: NetworkCall, proxy: ProxyServer) {
        call.proxyAsked(head, proxy, authorizer)
    }

    /// Sends a call again that still has its turn.
    func restart(_ call: NetworkCall) { call.begin(over: transport ?? makeTransport()) }

    /// Why a request to a server must not be sent without TLS, or nil if it may.
    private func refusal(of url: RawURL) -> ClientError? {
        guard url.scheme != "https", let manager = options.serverTrust else { return nil }
        do throws(ServerTrustError) {
            try manager.checkPlain(url.host)
            return nil
        } catch {
            return ClientError(error)
        }
    }

    private func makeTransport() -> HTTPTransport {
        var transportOptions = HTTPTransport.Options()
        transportOptions.idleTimeoutNs = options.idleConnectionTimeoutNs
        transportOptions.wireLimits = options.wireLimits
        // Calls enforce their own limits, which may be longer than a transport's.
        transportOptions.connectTimeoutNs = .max / 4
        transportOptions.connectLimits.lookupNs = .max / 4
        transportOptions.connectLimits.handshakeNs = .max / 4
        let made = HTTPTransport(loop: loop, connector: connector, options: transportOptions)
        made.onEstablished = { [weak self] _ in
            self?.nextConnectionID() ?? ConnectionID(rawValue: 0)
        }
        made.onHTTP2Facts = { [weak self] facts, http2 in
            guard let self, let id = facts.id else { return }
            for route in routes.values where route.sharedConnection == id {
                noteStreams(on: route, http2)
            }
        }
        transport = made
        return made
    }

    private func nextConnectionID() -> ConnectionID {
        connectionCount += 1
        return ConnectionID(rawValue: connectionCount)
    }

    private func route(for request: TransportRequest) -> HostRoute {
        let url = request.url
        let origin = PerHostLimiterTable.Origin(
            isSecure: url.scheme == "https", port: url.port, host: url.host,
            mayBeHTTP2: request.protocols.mayBeHTTP2(isSecure: url.scheme == "https"))
        let key = RouteKey(
            origin: origin, protocols: request.protocols, wantsTunnel: request.wantsTunnel)
        if let route = routes[key] { return route }
        if routes.count >= LoopTransport.routeCountMax {
            routes = routes.filter { !$0.value.turns.isIdle }
        }
        let route = makeRoute(for: request, turns.turns(of: origin))
        routes[key] = route
        return route
    }

    private func makeRoute(for request: TransportRequest, _ turns: PerHostLimiter) -> HostRoute {
        let url = request.url
        let isSecure = url.scheme == "https"
        // Only plain requests through HTTP proxies are sent to the proxy instead of the server.
        if !isSecure, !request.wantsTunnel, let proxy = options.proxies.proxy(for: url),
            proxy.kind == .http
        {
            let target = ConnectTarget(host: proxy.host, port: proxy.port, tls: nil)
            return HostRoute(target: target, proxy: proxy, turns: turns)
        }
        let policy = isSecure ? TLSPolicy(name: url.host, alpn: request.protocols.alpn) : nil
        let target = ConnectTarget(
            host: url.host, port: url.port, tls: policy,
            hasPriorKnowledge: request.protocols.contains(.http2PriorKnowledge))
        return HostRoute(target: target, turns: turns)
    }

    func connect(
        to target: ConnectTarget,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.connectRaw(to: target, completion: completion)
    }

    // MARK: Time limits

    private func track(_ call: NetworkCall) {
        call.index = running.count
        running.append(call)
    }

    private func untrack(_ call: NetworkCall) {
        guard call.index >= 0, let last = running.popLast() else { return }
        if last !== call {
            running[call.index] = last
            last.index = call.index
        }
        call.index = -1
    }

    /// Ensures that limits are checked at `timeNs` or earlier. A limit that was postponed costs
    /// nothing: the check finds that nothing is due.
    func watch(_ timeNs: Int64) {
        guard timeNs < watchedNs else { return }
        watchedNs = timeNs
        let armed = timer ?? loop.makeTimer { [weak self] in self?.checkLimits() }
        timer = armed
        armed.restart(afterNs: max(0, timeNs &- loop.now))
    }

    private func checkLimits() {
        watchedNs = .max
        let now = EventLoop.monotonicNow()
        var next = Int64.max
        for call in running {
            guard let limit = call.dueNs else { continue }
            if limit <= now { call.expire() } else { next = min(next, limit) }
        }
        if next < .max { watch(next) }
    }
}

/// One loop's connections and waiting calls for one host and port. Confined to its transport's
/// loop.
final class HostRoute {
    let target: ConnectTarget
    /// The HTTP proxy if requests are sent to it, or nil if they are sent to the server, possibly
    /// through a tunnel.
    let proxy: ProxyServer?
    /// Limits the running calls over all loops.
    let turns: PerHostLimiter
    /// The HTTP/2 connection that carries the calls, if there is one.
    var sharedConnection: ConnectionID?

    init(target: ConnectTarget, proxy: ProxyServer? = nil, turns: PerHostLimiter) {
        self.target = target
        self.proxy = proxy
        self.turns = turns
    }
}
