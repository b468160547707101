internal import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// One exchange on its way through the rules: no I/O, no clock. What it needs it asks for.
///
/// ```
/// connect ─▶ request(body: .coming) ─▶ wantsBody ─▶ request(body: .whole)
///                      │                 serve ─▶ resume ─┐
///                      ▼                                  ▼
///                   decided ─▶ response(body: .coming) ─▶ wantsBody ─▶ response(body: .whole)
/// ```
/// Judging a message again, when its body is there, comes to the same as if it had been there from
/// the beginning: rules count an exchange once.
public final class RuleRun {
    let rules: RuleSet
    let connection: RuledConnection
    private let usage: any RuleUsage
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

    /// Whether a rule acts on this exchange now: its filter passes, and it does not rest.
    func hit(_ position: Int) -> Bool {
        if hits.contains(position) { return true }
        guard usage.claim(position) else { return false }
        hits.insert(position)
        return true
    }

    // MARK: Connect

    /// Judges a connection that is to be made.
    public func connect() -> ConnectDecision {
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
    public func request(_ message: ForwardedRequest, body: RuledBody) -> RequestStep {
        let body = RequestWalk.hasNoBody(message) ? .whole([]) : body
        let subject = RuleSubject(connection, message, body)
        received = subject
        if case .coming = body, wantsRequestBodyLater(subject, host: message.url.host) {
            return .wantsBody
        }
        walk = RequestWalk(message, body, subject)
        return goOn()
    }

    /// Goes on behind a file that was asked for: with the answer that it gives, or without one
    /// where it is not there and the request goes on.
    public func resume(_ answer: RuleAnswer?) -> RequestStep {
        walk?.resume(answer, in: self)
        return goOn()
    }

    private func goOn() -> RequestStep {
        guard let step = walk?.advance(self) else { return .wantsBody }
        if case .decided(let decision) = step {
            changed = RuleSubject(
                connection, decision.message, decision.body.map(RuledBody.whole) ?? .coming)
            walk = nil
        }
        return step
    }

    /// Whether a rule that acts on the response has to have seen the request's body.
    private func wantsRequestBodyLater(_ subject: RuleSubject, host: String) -> Bool {
        rules.candidates(in: .response, for: host).contains { position in
            let filter = rules.rules[position].filter
            return filter.looks.contains { $0.moment == .requestBody }
                && filter.decision(subject) == .open
        }
    }

    // MARK: Response

    /// Judges a response, a server's or an answer of a rule. Where its body is asked for, it is
    /// judged again with it, from the same message.
    public func response(
        _ message: ForwardedResponse, to method: HTTPMethod, body: RuledBody
    ) -> ResponseStep {
        let body = ResponseWalk.knownBody(message, to: method, body)
        var walk = ResponseWalk(message, method, body)
        walk.received = RuleSubject(received, message, body)
        return walk.advance(self, requestAsChanged: changed)
    }

    /// The rules that may act on what was asked for.
    func candidates(in phase: RulePhase) -> [Int] {
        rules.candidates(in: phase, for: received.text(.host) ?? connection.host)
    }
}
