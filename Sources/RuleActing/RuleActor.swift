internal import ProxydEventLoops
internal import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydProxyEngine
public import ProxydRules
internal import ProxydTransport
internal import Synchronization

/// Applies rules to traffic: evaluates them and carries out their actions.
///
/// The rules may be replaced at any time; an exchange uses those that were current when it started.
public final class RuleActor: TrafficActor {
    private let current = Mutex(ActiveRules(.none, counting: nil, captures: nil))
    private let captures = Mutex<MockSource?>(nil)
    /// Whether there is any rule: read for every request, therefore without a lock.
    private let isActing = Atomic<Bool>(false)
    private let services: RuleServices
    public var holdBroker: HoldBroker { services.holdBroker }

    /// - Parameter scripts: The environment of scripts; nil if scripts are not run.
    public init(scripts: ScriptEnvironment? = nil) {
        services = RuleServices(scripts: ScriptPool(scripts))
    }

    /// Sets the source of captures, and reads those of the current rules.
    public func useCaptures(of source: MockSource) {
        captures.withLock { $0 = source }
        current.withLock { current in
            guard !current.rules.mocks.isEmpty else { return }
            current = ActiveRules(current.rules, counting: current, captures: source)
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
            current = ActiveRules(
                rules, counting: current, captures: captures,
                keeping: rereadsCaptures ? nil : current.mocks)
        }
        isActing.store(!rules.rules.isEmpty, ordering: .releasing)
        holdBroker.keepOnly(heldBy: rules)
        services.links.keepOnly(rules)
    }

    /// What each rule has done so far, in the order of the file.
    public var counts: [RuleCount] { current.withLock { $0 }.counts }

    /// The current rules; nil if there are none.
    private var activeRules: ActiveRules? {
        isActing.load(ordering: .acquiring) ? current.withLock { $0 } : nil
    }

    private func activeRules(on host: String) -> ActiveRules? {
        guard let activeRules, activeRules.rules.mayAct(on: host) else { return nil }
        return activeRules
    }

    // MARK: TrafficActor

    public func mayAct(onHost host: String) -> Bool { activeRules(on: host) != nil }

    public func mayAct(on request: borrowing ForwardedRequest) -> Bool {
        activeRules?.rules.mayAct(on: request) ?? false
    }

    public func connect(_ connection: RequestedConnection, _ decision: Decision<ConnectVerdict>) {
        guard let activeRules = activeRules(on: connection.host),
            activeRules.rules.mayAct(in: .connect, on: connection.host)
                || !activeRules.rules.mocks.isEmpty
        else { return decision.make(.pass()) }
        var run = RuleRun(activeRules.rules, RuledConnection(connection), usage: activeRules)
        let connected = run.connect()
        decision.note(connected.notes)
        var tally = RuleTally(activeRules)
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
    private func pace(of connection: RequestedConnection, _ notes: PhaseNotes) -> ThrottlePace? {
        guard let (rule, throttle) = notes.throttle else { return nil }
        return LinkSharer(services.links, connection.host, connection.peer, connection.client)
            .pace(
                throttle, by: ThrottleSource(rule: rule, phase: .connect),
                isConnection: connection.isTunnel)
    }

    public func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? {
        guard let activeRules = activeRules(on: request.url.host) else { return nil }
        let connection = RuledConnection(exchange, request.url)
        let run = RuleRun(activeRules.rules, connection, usage: activeRules)
        let sharer = LinkSharer(services.links, request.url.host, exchange.peer, exchange.client)
        return ExchangeRuleActor(
            run, of: exchange.id, under: activeRules, services,
            ExchangeNetwork(sharer, exchange.pace as? ThrottlePace))
    }

    /// Lets held messages go on unchanged.
    public func drain() { holdBroker.stop() }

    /// Ends the programs of scripts, and returns once they have ended.
    public func endScripts() { services.scripts.stop() }
}

extension RuleMock {
    /// The answer to a tunnel that is not intercepted, which no capture answers; nil to relay it.
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

/// The services that all exchanges under rules share.
struct RuleServices: Sendable {
    let scripts: ScriptPool
    let holdBroker = HoldBroker()
    /// The memory for all bodies that wait as a whole.
    let budget = ByteBudget(byteCountMax: 256 << 20)
    /// The memory for all answers from files and captures, until their clients have taken them.
    let answerBudget = ByteBudget(byteCountMax: 256 << 20)
    let files = FileServing()
    let links = SharedLinks()
    let ruleWorkers = RuleWorkers()

    /// How a body that a rule examines or changes is forwarded.
    var plan: BodyPlan { .whole(byteCountMax: RuledBody.byteCountMax, budget: budget) }
}

/// A set of rules and its statistics.
final class ActiveRules: RuleUsage, Sendable {
    let rules: RuleSet
    let mocks: MockServers
    private let usages: [Mutex<Usage>.Box]
    private let positionOfName: [String: Int]

    struct Usage: Sendable {
        var hitCount = 0
        var lastHitNs: Int64 = 0
        var changedCount = 0
        var failedCount = 0
    }

    /// - Parameters:
    ///   - old: The previous rules. Unchanged rules keep their counts.
    ///   - kept: The previous servers of captures; those of unchanged rules continue.
    init(
        _ rules: RuleSet, counting old: ActiveRules?, captures: MockSource?,
        keeping kept: MockServers? = nil
    ) {
        self.rules = rules
        mocks = MockServers(rules, captures, keeping: kept)
        let kept = old?.usageOfRules ?? [:]
        usages = rules.rules.map { kept[RuleIdentity($0)] ?? Mutex.Box(Usage()) }
        positionOfName = Dictionary(
            zip(rules.rules.map(\.name), rules.rules.indices),
            uniquingKeysWith: { first, _ in first })
    }

    private var usageOfRules: [RuleIdentity: Mutex<Usage>.Box] {
        Dictionary(
            zip(rules.rules.map(RuleIdentity.init), usages), uniquingKeysWith: { first, _ in first }
        )
    }

    func claim(_ rule: Int) -> Bool {
        guard usages.indices.contains(rule) else { return false }
        let most = rules.rules[rule].hitCountMax ?? .max
        let now = EventLoop.wallNow()
        return usages[rule].value.withLock { usage in
            guard usage.hitCount < most else { return false }
            usage.hitCount += 1
            usage.lastHitNs = now
            return true
        }
    }

    func count(_ effect: RuleEffect, ofRule name: String) {
        guard let position = positionOfName[name] else { return }
        usages[position].value.withLock { usage in
            switch effect {
            case .changed: usage.changedCount += 1
            case .failed: usage.failedCount += 1
            case .nothing: break
            }
        }
    }

    var counts: [RuleCount] {
        let reports = Dictionary(grouping: mocks.reports, by: \.rule)
        return zip(rules.rules, usages).map { rule, usage in
            let usage = usage.value.withLock { $0 }
            return RuleCount(
                name: rule.name, hitCount: usage.hitCount, changedCount: usage.changedCount,
                failedCount: usage.failedCount,
                lastHitNs: usage.hitCount > 0 ? usage.lastHitNs : nil,
                mocks: reports[rule.name] ?? [])
        }
    }
}

extension Mutex where Value: Sendable {
    /// A mutex shared by two sets of rules.
    final class Box: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }
}

/// Identifies a rule that has not changed when the file is read again.
struct RuleIdentity: Hashable {
    private let name: String
    private let text: String

    init(_ rule: Rule) {
        name = rule.name
        text = rule.text
    }
}

/// Statistics of a rule since it was loaded.
public struct RuleCount: Sendable, Hashable {
    public let name: String
    /// The number of exchanges that it has matched.
    public let hitCount: Int
    /// The number of these that it changed, delayed, answered or ended.
    public let changedCount: Int
    /// The number of exchanges in which an action failed.
    public let failedCount: Int
    /// When it last matched, in nanoseconds since 1970; nil for never.
    public let lastHitNs: Int64?
    /// Statistics of its mocks; empty if it has none.
    public let mocks: [MockReport]
}

/// Counts what rules did to one exchange, each effect of a rule only once.
struct RuleTally {
    private let activeRules: ActiveRules
    private var counted: [String: Set<RuleEffect>] = [:]

    init(_ activeRules: ActiveRules) { self.activeRules = activeRules }

    /// Counts the outcomes of one phase.
    mutating func count(_ applied: [AppliedRule]) {
        for one in applied {
            let effect = RuleEffect(one)
            guard counted[one.rule, default: []].insert(effect).inserted else { continue }
            activeRules.count(effect, ofRule: one.rule)
        }
    }
}
