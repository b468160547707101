internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// What one loop does for a network transport: turns of the hosts, connections, time limits.
///
/// Sendable, although confined to its loop. Proof: `loop` is immutable; everything else is touched
/// only by members that call `preconditionOnLoop()` or are called by such, and by `deinit`, when
/// no one else can.
final class NetworkLane: @unchecked Sendable {
    let loop: EventLoop
    private let options: NetworkOptions
    private let connector: ClientConnector
    private let authorizer = ProxyAuthorizer()
    private var transport: HTTPTransport?
    private var lines: [LineKey: HostLine] = [:]
    private let turns: PerHostLimiterTable
    private var running: [NetworkCall] = []
    private var connectionCount: Int64 = 0
    private var timer: Timer?
    /// When the timer fires; `.max` while it does not.
    private var watchedNs = Int64.max

    private struct LineKey: Hashable {
        let origin: PerHostLimiterTable.Origin
        let protocols: [HTTPProtocol]
        let wantsTunnel: Bool
    }

    /// Lines are forgotten from this many on, when they are idle.
    private static let lineCountMax = 256

    init(
        loop: EventLoop, resolver: Resolver, options: NetworkOptions, turns: PerHostLimiterTable
    ) {
        self.loop = loop
        self.options = options
        self.turns = turns
        connector = ClientConnector(
            loop: loop, resolver: resolver, options: options, authorizer: authorizer)
    }

    // MARK: Calls

    /// Takes a new call.
    func submit(_ call: NetworkCall) {
        loop.preconditionOnLoop()
        guard !call.isOver else { return }
        let line = line(for: call.request)
        call.enter(line)
        track(call)
        if let refusal = refusal(of: call.request.url) { return call.end(.failed(refusal)) }
        if line.turns.admit(call) { call.begin(over: transport ?? makeTransport()) }
    }

    /// A call is over: the next of its host may run.
    func leave(_ call: NetworkCall, hadTurn: Bool) {
        untrack(call)
        if hadTurn, let turns = call.line?.turns { passTurn(turns) }
    }

    /// A call goes on without its turn.
    func giveTurn(of call: NetworkCall) {
        if let turns = call.line?.turns { passTurn(turns) }
    }

    /// Gives a turn to the next, which may be another loop's.
    private func passTurn(_ turns: PerHostLimiter) {
        if let next = turns.leave() { start(next, turns) }
    }

    private func start(_ next: NetworkCall, _ turns: PerHostLimiter) {
        let lane = next.lane
        if lane === self {
            take(turns, for: next)
        } else {
            lane.loop.execute { lane.take(turns, for: next) }
        }
    }

    /// It is the turn of a call; where that ended on the way, it is someone else's.
    private func take(_ turns: PerHostLimiter, for call: NetworkCall) {
        guard call.line != nil else { return passTurn(turns) }
        call.begin(over: transport ?? makeTransport())
    }

    /// Notes that a server speaks HTTP/1.1: what is counted are connections.
    func noteConnections(on line: HostLine) {
        setLimit(of: line, options.connectionsPerHostCountMax)
    }

    /// Notes that a server speaks HTTP/2, and what it has announced. Calls go side by side over one
    /// connection: what is counted are streams, of which the server may want fewer than we.
    func noteStreams(on line: HostLine, _ facts: HTTP2ConnectionFacts?) {
        let wanted = facts?.peerSettings.last(where: \.isConcurrentStreamCountMax)?.value ?? .max
        setLimit(of: line, max(1, min(options.streamsPerHostCountMax, Int(wanted))))
    }

    private func setLimit(of line: HostLine, _ limit: Int) {
        for next in line.turns.setLimit(limit) { start(next, line.turns) }
    }

    /// What is behind the failure of a connection that is being told.
    var errorBeingTold: ClientError? { connector.errorBeingTold }
    /// What the server of a raw connection that is being told has said already.
    var earlyOctetsBeingTold: [UInt8] { connector.earlyOctetsBeingTold }

    /// A call's request as it goes over a line.
    func message(of call: NetworkCall, over line: HostLine) -> ForwardedRequest {
        call.message(through: line.proxy, authorizer)
    }

    /// The proxy of a call wants credentials.
    func proxyAsked(_ head: ResponseHead, _ call: NetworkCall, proxy: ProxyServer) {
        call.proxyAsked(head, proxy, authorizer)
    }

    /// Sends a call again that has its turn.
    func restart(_ call: NetworkCall) { call.begin(over: transport ?? makeTransport()) }

    /// Why a server must not be asked in plain.
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
        // The calls watch over their own limits, which may be longer than a transport's.
        transportOptions.connectTimeoutNs = .max / 4
        transportOptions.connectLimits.lookupNs = .max / 4
        transportOptions.connectLimits.handshakeNs = .max / 4
        let made = HTTPTransport(loop: loop, connector: connector, options: transportOptions)
        made.onEstablished = { [weak self] _ in
            self?.nextConnectionID() ?? ConnectionID(rawValue: 0)
        }
        made.onHTTP2Facts = { [weak self] facts, http2 in
            guard let self, let id = facts.id else { return }
            for line in lines.values where line.sharedConnection == id {
                noteStreams(on: line, http2)
            }
        }
        transport = made
        return made
    }

    private func nextConnectionID() -> ConnectionID {
        connectionCount += 1
        return ConnectionID(rawValue: connectionCount)
    }

    private func line(for request: TransportRequest) -> HostLine {
        let url = request.url
        let origin = PerHostLimiterTable.Origin(
            isSecure: url.scheme == "https", port: url.port, host: url.host,
            mayBeHTTP2: request.protocols.mayBeHTTP2(isSecure: url.scheme == "https"))
        let key = LineKey(
            origin: origin, protocols: request.protocols, wantsTunnel: request.wantsTunnel)
        if let line = lines[key] { return line }
        if lines.count >= NetworkLane.lineCountMax {
            lines = lines.filter { !$0.value.turns.isIdle }
        }
        let line = makeLine(for: request, turns.turns(of: origin))
        lines[key] = line
        return line
    }

    private func makeLine(for request: TransportRequest, _ turns: PerHostLimiter) -> HostLine {
        let url = request.url
        let isSecure = url.scheme == "https"
        // Only plain requests to HTTP proxies are sent to them in place of the server.
        if !isSecure, !request.wantsTunnel, let proxy = options.proxies.proxy(for: url),
            proxy.kind == .http
        {
            let target = ConnectTarget(host: proxy.host, port: proxy.port, tls: nil)
            return HostLine(target: target, proxy: proxy, turns: turns)
        }
        let policy = isSecure ? TLSPolicy(name: url.host, alpn: request.protocols.alpn) : nil
        let target = ConnectTarget(
            host: url.host, port: url.port, tls: policy,
            hasPriorKnowledge: request.protocols.contains(.http2PriorKnowledge))
        return HostLine(target: target, turns: turns)
    }

    /// Makes a connection without HTTP on it.
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

    /// Sees to it that limits are looked at no later than at `timeNs`. Limits that were moved to
    /// later cost nothing: the look finds that nothing is due.
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
