internal import ProxydEventLoops
internal import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydProxyEngine
public import ProxydRules
internal import ProxydTransport
internal import Synchronization

/// Applies rules to traffic: the engine calls it, it evaluates the rules and carries out their
/// actions.
///
/// The rules may be replaced at any time; an exchange uses those that were current when it started.
public final class RuleActor: TrafficActor {
    private let current = Mutex(RulesInForce(.none, counting: nil, captures: nil))
    private let captures = Mutex<MockSource?>(nil)
    /// Whether there is any rule: read for every request, therefore without a lock.
    private let isActing = Atomic<Bool>(false)
    private let services: RuleServices
    /// The messages that rules hold.
    public var desk: HoldDesk { services.desk }

    /// Creates an actor without rules.
    /// - Parameter scripts: The environment of scripts; nil if scripts are not run.
    public init(scripts: ScriptSurroundings? = nil) {
        services = RuleServices(scripts: ScriptDesk(scripts))
    }

    /// Sets the source of captures, and reads those of the current rules.
    public func useCaptures(of source: MockSource) {
        captures.withLock { $0 = source }
        current.withLock { current in
            guard !current.rules.mocks.isEmpty else { return }
            current = RulesInForce(current.rules, counting: current, captures: source)
        }
    }

    /// Replaces the rules. Counts of rules with the same name and text are kept.
    /// - Parameters:
    ///   - folder: The absolute path of the folder that contains the rules file; scripts run there.
    ///   - rereadsCaptures: Whether the captures of all mocks are read again, and served from the
    ///     first one; otherwise only those of changed rules.
    public func use(_ rules: RuleSet, from folder: String, rereadsCaptures: Bool = true) {
        services.scripts.use(rules.scripts, in: folder)
        let captures = captures.withLock { $0 }
        current.withLock { current in
            current = RulesInForce(
                rules, counting: current, captures: captures,
                keeping: rereadsCaptures ? nil : current.mocks)
        }
        isActing.store(!rules.rules.isEmpty, ordering: .releasing)
        desk.keepOnly(heldBy: rules)
        services.lines.keepOnly(rules)
    }

    /// What each rule has done so far, in the order of the file.
    public var counts: [RuleCount] { current.withLock { $0 }.counts }

    private func inForce(on host: String) -> RulesInForce? {
        guard isActing.load(ordering: .acquiring) else { return nil }
        let inForce = current.withLock { $0 }
        return inForce.rules.mayAct(on: host) ? inForce : nil
    }

    // MARK: TrafficActor

    /// Whether a rule may act on traffic to a host.
    public func mayAct(onHost host: String) -> Bool { inForce(on: host) != nil }

    /// Connects as the rules decide.
    public func connect(_ connection: AskedConnection, _ decision: Decision<ConnectVerdict>) {
        guard let inForce = inForce(on: connection.host),
            inForce.rules.mayAct(in: .connect, on: connection.host)
                || !inForce.rules.mocks.isEmpty
        else { return decision.make(.pass()) }
        var run = RuleRun(inForce.rules, RuledConnection(connection), usage: inForce)
        let connected = run.connect()
        decision.note(connected.notes)
        var tally = RuleTally(inForce)
        tally.count(connected.notes.applied)
        let pace = pace(of: connection, connected.notes)
        // The CONNECT request and its answer also travel over the simulated network.
        let networkNs = connection.isTunnel ? pace?.throttle.profile.roundTripNs : nil
        after(connected.notes.delays, networkNs: networkNs ?? 0, on: decision.loop) {
            if let block = connected.block { return decision.end(block, connected.notes) }
            let route = connected.route(port: connection.port)
            guard let mock = run.tunnelMock else {
                return decision.make(.pass(route: route, pace: pace))
            }
            decision.make(
                .withoutServer(route: route, pace: pace, unread: mock.answerToUnreadTunnel))
        }
    }

    /// The pace of a connection that rules slow down; nil if there is none.
    private func pace(of connection: AskedConnection, _ notes: PhaseNotes) -> ThrottlePace? {
        guard let (rule, throttle) = notes.throttle else { return nil }
        return LineSharer(services.lines, connection.host, connection.peer, connection.client)
            .pace(
                throttle, by: ThrottleSource(rule: rule, phase: .connect),
                isConnection: connection.isTunnel)
    }

    /// Returns the actor that applies the rules to an exchange, or nil if no rule can act on it.
    public func actor(
        for exchange: ActedExchange, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? {
        guard let inForce = inForce(on: request.url.host) else { return nil }
        let connection = RuledConnection(exchange, request.url)
        let run = RuleRun(inForce.rules, connection, usage: inForce)
        let sharer = LineSharer(
            services.lines, request.url.host, exchange.peer, exchange.client)
        return ExchangeRuleActor(
            run, of: exchange.id, under: inForce, services,
            ExchangeNetwork(sharer, exchange.pace as? ThrottlePace))
    }

    /// Lets held messages go on unchanged.
    public func drain() { desk.stop() }

    /// Ends the programs of scripts, and returns once they have ended.
    public func endScripts() { services.scripts.stop() }
}

extension RuleMock {
    /// The answer to a tunnel that is not intercepted, which captures cannot answer; nil if it is
    /// relayed.
    fileprivate var answerToUnreadTunnel: ExchangeAnswer? {
        guard unmatched != .forward else { return nil }
        let text = "a capture cannot answer a tunnel that is not intercepted"
        return ExchangeAnswer(MockMiss.answer(status: 501, differs: "tunnel", text))
    }
}

extension ConnectDecision {
    /// The route set by rules, with the given port; nil if they set none.
    fileprivate func route(port: UInt16) -> ConnectRoute? {
        let way: ConnectRoute.Upstream =
            switch upstream {
            case nil: .asConfigured
            case .direct: .direct
            case .named(let reference): .named(reference.name)
            }
        let route = ConnectRoute(
            address: address.flatMap { SocketAddress(ip: $0, port: port) }, upstream: way,
            clientCertificate: clientCertificate)
        return route == ConnectRoute() ? nil : route
    }
}
