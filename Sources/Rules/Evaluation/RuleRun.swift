internal import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// One exchange on its way through the rules: no I/O, no clock. What it needs it asks for.
///
/// ```
/// connect ─▶ request(body: .coming) ─▶ wantsBody ─▶ request(body: .whole)
///                      │           serve, mock ─▶ resume ─┐
///                      ▼                                  ▼
///                   decided ─▶ response(body: .coming) ─▶ wantsBody ─▶ response(body: .whole)
/// ```
/// Judging a message again, when its body is there, comes to the same as if it had been there from
/// the beginning: rules count an exchange once.
public struct RuleRun: Sendable {
    let rules: RuleSet
    let connection: RuledConnection
    private let usage: any RuleUsage
    /// Whether there is someone to hold messages for. A rule that holds asks for bodies only then.
    public var isHoldingPossible = false
    /// Rules that have hit this exchange.
    private var hits: Set<Int> = []
    private var walk: RequestWalk?
    private var received: RuleSubject
    private var changed: RuleSubject

    /// An exchange that comes over a connection.
    public init(_ rules: RuleSet, _ connection: RuledConnection, usage: any RuleUsage) {
        self.rules = rules
        self.connection = connection
        self.usage = usage
        received = RuleSubject(connection)
        changed = received
    }

    /// What a rule's filter comes to.
    enum Judgement { case matched, passedBy, wantsBody }

    /// Judges whether a rule acts on a message now.
    /// - Parameters:
    ///   - body: What is known of the message's body.
    ///   - needsBody: Whether its actions have to wait for that.
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

    /// Whether a rule acts, whose filter passes: it does not rest. Counts the exchange once.
    private mutating func hit(_ position: Int) -> Bool {
        if hits.contains(position) { return true }
        guard usage.claim(position) else { return false }
        hits.insert(position)
        return true
    }

    // MARK: Connect

    /// Judges a connection that is to be made.
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
        case .block(let block):
            decision.block = block
            return .blocked(block.text)
        case .throttle(let network):
            // The client hears that there is no way to the server.
            if network.profile.isOffline { decision.block = .status(502) }
            return decision.notes.apply(action.verb, of: rule) ?? .unchanged
        default:
            guard let outcome = decision.notes.apply(action.verb, of: rule) else {
                return .unchanged
            }
            // All that is done to a connection is told by one word.
            return outcome == .tagged ? outcome : .changed(outcome.detail ?? "")
        }
    }

    // MARK: Request

    /// Judges a request. Where its body is asked for, it is judged again with it, from the same
    /// message.
    public mutating func request(_ message: ForwardedRequest, body: RuledBody) -> RequestStep {
        let body = RequestWalk.hasNoBody(message) ? .whole([]) : body
        received = RuleSubject(connection, message, body)
        if body.isComing, wantsRequestBodyLater { return .wantsBody }
        walk = RequestWalk(message, body, received)
        return goOn()
    }

    /// Goes on after a file was asked for: with its answer, or without one where there is no such
    /// file and the request goes on.
    public mutating func resume(_ answer: RuleAnswer?) -> RequestStep {
        goOn { $0.resume(answer, in: $1) }
    }

    /// Goes on after captures were asked for.
    public mutating func resume(_ served: MockServed) -> RequestStep {
        goOn { $0.resume(served, in: $1) }
    }

    private mutating func goOn(
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

    /// Keeps of the request what response rules look at: a body only where one of them does.
    mutating func keepRequest(_ decision: RequestDecision) {
        let keepsBody = !filtersOnRequestBody.isEmpty
        let body = decision.body.map(RuledBody.whole) ?? received.requestBody
        changed = RuleSubject(connection, decision.message, keepsBody ? body : .coming)
        if !keepsBody { received = received.withoutBody() }
    }

    /// The filters of rules that act on the response, but look at the request's body.
    private var filtersOnRequestBody: [Filter] {
        candidates(in: .response).map { rules.rules[$0].filter }.filter { filter in
            filter.looks.contains { $0.moment == .requestBody }
        }
    }

    /// Whether a rule that acts on the response has to have seen the request's body.
    private var wantsRequestBodyLater: Bool {
        filtersOnRequestBody.contains { $0.decision(received) == .open }
    }

    // MARK: Response

    /// Judges a response, a server's or an answer of a rule. Where its body is asked for, it is
    /// judged again with it, from the same message.
    public mutating func response(
        _ message: ForwardedResponse, to method: HTTPMethod, body: RuledBody
    ) -> ResponseStep {
        let body = ResponseWalk.knownBody(message, to: method, body)
        var walk = ResponseWalk(message, method, body, RuleSubject(received, message, body))
        return walk.advance(&self, requestAsChanged: changed)
    }

    /// The rules that may act on what was asked for.
    func candidates(in phase: RulePhase) -> [Int] {
        rules.candidates(in: phase, for: received.text(.host) ?? connection.host)
    }
}
