internal import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// The evaluation of one exchange by the rules, without I/O or clock. It returns requests for the
/// resources that it needs.
///
/// ```
/// connect ─▶ request(body: .coming) ─▶ wantsBody ─▶ request(body: .whole)
///                      │           serve, mock ─▶ resume ─┐
///                      ▼                                  ▼
///                   decided ─▶ response(body: .coming) ─▶ wantsBody ─▶ response(body: .whole)
/// ```
/// Evaluating a message again once its body is complete has the same effect as if the body had been
/// complete from the start: a rule counts an exchange once.
public struct RuleRun: Sendable {
    let rules: RuleSet
    let connection: RuledConnection
    private let usage: any RuleUsage
    /// Whether anyone can decide about held messages. If not, a hold needs no bodies.
    public var isHoldingPossible = false
    /// The positions of rules that have matched this exchange.
    private var hits: Set<Int> = []
    private var walk: RequestWalk?
    private var received: RuleSubject
    private var changed: RuleSubject

    public init(_ rules: RuleSet, _ connection: RuledConnection, usage: any RuleUsage) {
        self.rules = rules
        self.connection = connection
        self.usage = usage
        received = RuleSubject(connection)
        changed = received
    }

    enum Judgement { case matched, passedBy, wantsBody }

    /// Decides whether a rule acts on a message now.
    /// - Parameter needsBody: Whether its actions must wait for the body.
    mutating func judge(
        _ position: Int, in phase: RulePhase, _ subject: RuleSubject, _ body: RuledBody,
        needsBody: Bool, _ notes: inout PhaseNotes
    ) -> Judgement {
        let rule = rules.rules[position]
        switch rule.filter.decision(subject) {
        case .fails: return .passedBy
        case .open:
            if body.isComing { return .wantsBody }
            if let problem = body.unseen { notes.note(rule, phase, [.notDone(problem.reason)]) }
            return .passedBy
        case .passes: break
        }
        if needsBody { return .wantsBody }
        return hit(position) ? .matched : .passedBy
    }

    /// Whether a rule whose filter passes is below its limit. Counts each exchange once.
    private mutating func hit(_ position: Int) -> Bool {
        if hits.contains(position) { return true }
        guard usage.claim(position) else { return false }
        hits.insert(position)
        return true
    }

    // MARK: Connect

    /// Evaluates a connection before it is made.
    public mutating func connect() -> ConnectDecision {
        var decision = ConnectDecision()
        for position in rules.candidates(in: .connect, for: connection.host) {
            let rule = rules.rules[position]
            guard rule.filter.decision(received) == .passes, hit(position) else { continue }
            var outcomes: [RuleOutcome] = []
            for action in rule.actions(in: .connect) where decision.block == nil {
                outcomes.append(RuleRun.apply(action, of: rule, to: &decision))
            }
            decision.notes.note(rule, .connect, outcomes)
            if rule.stops || decision.block != nil { break }
        }
        return decision
    }

    private static func apply(
        _ action: RuleAction, of rule: Rule, to decision: inout ConnectDecision
    ) -> RuleOutcome {
        switch action.verb {
        case .resolve(let address):
            decision.address = address
            return .changed("address \(address)")
        case .via(let upstream):
            decision.upstream = upstream
            return .changed("upstream \(upstream.text)")
        case .clientCertificate(let reference):
            decision.clientCertificate = reference.name
            return .changed("client certificate \(reference.name)")
        case .block(let block):
            decision.block = block
            return .blocked(block.text)
        case .throttle(let network):
            // The client is told that the server cannot be reached.
            if network.profile.isOffline { decision.block = .status(502) }
            return decision.notes.apply(action.verb, of: rule) ?? .unchanged
        default:
            guard let outcome = decision.notes.apply(action.verb, of: rule) else {
                return .unchanged
            }
            // Everything done to a connection is recorded with the word for a change.
            return outcome == .tagged ? outcome : .changed(outcome.detail ?? "")
        }
    }

    // MARK: Request

    /// Evaluates a request. If its body is needed, evaluate the same message again with it.
    public mutating func request(_ message: ForwardedRequest, body: RuledBody) -> RequestStep {
        let body = RequestWalk.hasNoBody(message) ? .whole([]) : body
        received = RuleSubject(connection, message, body)
        if body.isComing, wantsRequestBodyLater { return .wantsBody }
        walk = RequestWalk(message, body, received)
        return proceed()
    }

    /// Continues with the answer from a file; nil if there is none: the request is forwarded.
    public mutating func resume(_ answer: RuleAnswer?) -> RequestStep {
        proceed { $0.resume(answer, in: $1) }
    }

    public mutating func resume(_ served: MockServed) -> RequestStep {
        proceed { $0.resume(served, in: $1) }
    }

    private mutating func proceed(
        _ resume: (inout RequestWalk, RuleRun) -> Void = { _, _ in }
    ) -> RequestStep {
        guard var walk else { return .wantsBody }
        self.walk = nil
        resume(&walk, self)
        let step = walk.advance(&self)
        if case .decided(let decision) = step {
            keepRequest(decision)
        } else {
            self.walk = walk
        }
        return step
    }

    /// Keeps what response rules need of the request: its body only if a filter needs it.
    mutating func keepRequest(_ decision: RequestDecision) {
        let keepsBody = !filtersOnRequestBody.isEmpty
        let body = decision.body.map(RuledBody.whole) ?? received.requestBody
        changed = RuleSubject(connection, decision.message, keepsBody ? body : .coming)
        if !keepsBody { received = received.withoutBody() }
    }

    /// The filters of rules that act on the response, but examine the request body.
    private var filtersOnRequestBody: [Filter] {
        candidates(in: .response).map { rules.rules[$0].filter }.filter { filter in
            filter.terms.contains { $0.moment == .requestBody }
        }
    }

    /// Whether a rule that acts on the response needs the request body.
    private var wantsRequestBodyLater: Bool {
        filtersOnRequestBody.contains { $0.decision(received) == .open }
    }

    // MARK: Response

    /// Evaluates a response, of a server or of a rule. If its body is needed, evaluate the same
    /// message again with it.
    public mutating func response(
        _ message: ForwardedResponse, to method: HTTPMethod, body: RuledBody
    ) -> ResponseStep {
        let body = ResponseWalk.knownBody(message, to: method, body)
        var walk = ResponseWalk(message, method, body, RuleSubject(received, message, body))
        return walk.advance(&self, requestAsChanged: changed)
    }

    /// The positions of rules that may act on the requested host.
    func candidates(in phase: RulePhase) -> [Int] {
        guard let host = received.text(.host), received.isKnown(.requestHead) else {
            return rules.candidates(in: phase, for: connection.host)
        }
        return rules.candidates(in: phase, for: host) { received.text($0) }
    }
}

extension RuleRun {
    /// The first mock that might answer requests inside a tunnel, as far as can be told before any
    /// of them arrives; nil if there is none. If there is one, the tunnel does not need its server.
    public var tunnelMock: RuleMock? {
        guard !rules.mocks.isEmpty, connection.scheme == "tunnel" else { return nil }
        let subjects = ["https", "http"].map { scheme in
            var inside = connection
            inside.scheme = scheme
            return RuleSubject(inside)
        }
        let candidates = rules.candidates(in: .request, for: connection.host)
        return rules.mocks.first { placed in
            candidates.contains(placed.position.rule)
                && subjects.contains {
                    rules.rules[placed.position.rule].filter.decision($0) != .fails
                }
        }?.mock
    }
}

/// Counts how often rules have matched.
public protocol RuleUsage: AnyObject, Sendable {
    /// Counts a match of the rule at a position of the set, unless the rule's limit is reached;
    /// returns whether the rule acts.
    func claim(_ rule: Int) -> Bool
}
