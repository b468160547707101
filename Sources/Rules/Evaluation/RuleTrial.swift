internal import ProxydFilter
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Evaluates rules for captured exchanges: nothing is sent, and no file is read.
///
/// What a rule did when the exchange was captured has no influence: rules examine what arrived, and
/// that is what the store contains.
public struct RuleTrial {
    /// One test of a rule's filter and its result.
    public struct Test: Sendable, Hashable {
        /// The field or operator.
        public let name: String
        /// Its position in the filter, in characters from 1.
        public let column: Int
        /// Whether it holds; nil if that is undecided.
        public let holds: Bool?
        /// The value that it examined, if that is a single text or number.
        public let value: String?
    }

    private let rules: RuleSet
    private let mocks: (MockCall) -> MockServed

    /// Creates a trial of rules.
    /// - Parameter mocks: Returns what captures answer; by default, assumes that one of them does.
    public init(
        _ rules: RuleSet,
        mocks: @escaping (MockCall) -> MockServed = { _ in
            .answer(RuleAnswer(status: 200), note: "by a capture, if one is the same request")
        }
    ) {
        self.rules = rules
        self.mocks = mocks
    }

    /// What the rules would have done to an exchange, in order. A rule that matches after another
    /// one has stopped the evaluation is listed as `not reached`.
    public func results(for exchange: Exchange) -> [AppliedRule] {
        guard let message = RuleTrial.request(of: exchange) else { return [] }
        let connection = RuledConnection(exchange, message)
        var run = RuleRun(rules, connection, usage: Unlimited())
        let connected = run.connect()
        var results = connected.notes.applied
        guard connected.block == nil else { return results }
        let request = judged(message, exchange.request.body, &run)
        results += request.notes.applied
        if request.ending == nil {
            results += RuleTrial.asked(request.scripts, .request)
            results += RuleTrial.held(request.hold, .request)
        }
        results += notReached(
            in: .request, RuleSubject(connection, message, .passing(exchange.request.body)),
            results, isAnswered: request.ending != nil)
        switch request.ending {
        case .block?: return results
        case .answer(let answer)?:
            results += response(
                ForwardedResponse(
                    head: answer.head, body: .exactly(UInt64(answer.body.count))),
                .whole(answer.body), message.head.method, &run)
        case nil:
            guard let response = exchange.response else { return results }
            results += self.response(
                ForwardedResponse(
                    head: response.head, body: .exactly(UInt64(clamping: response.body.byteCount))),
                .passing(response.body), message.head.method, &run,
                flows: response.head.fields.isEndless)
        }
        return results
    }

    private func judged(
        _ message: ForwardedRequest, _ body: Body, _ run: inout RuleRun
    ) -> RequestDecision {
        var step = run.request(message, body: .passing(body))
        while true {
            switch step {
            case .decided(let decision): return decision
            // The current content of the file is not read.
            case .serve: step = run.resume(RuleAnswer(status: 200))
            case .mock(let call): step = run.resume(mocks(call))
            case .wantsBody: return RequestDecision(message: message)
            }
        }
    }

    /// - Parameter flows: Whether the body was streamed: then only its lines are edited.
    private func response(
        _ message: ForwardedResponse, _ body: RuledBody, _ method: HTTPMethod,
        _ run: inout RuleRun, flows: Bool = false
    ) -> [AppliedRule] {
        let seen = flows ? .endless : body
        guard case .decided(let decision) = run.response(message, to: method, body: seen) else {
            return []
        }
        return decision.notes.applied + RuleTrial.edited(decision.lines, body)
            + RuleTrial.asked(decision.scripts, .response)
            + RuleTrial.held(decision.hold, .response)
    }

    /// The outcomes of edits that are applied line by line.
    private static func edited(_ lines: LineEditor?, _ body: RuledBody) -> [AppliedRule] {
        guard var lines else { return [] }
        if let problem = body.unseen {
            return lines.applied.map {
                AppliedRule(rule: $0.rule, phase: $0.phase, outcome: problem.reason)
            }
        }
        let bytes = body.bytes ?? []
        var output: [UInt8] = []
        lines.receive(bytes.span, into: &output)
        lines.finish(into: &output)
        return lines.applied
    }

    /// The record of a hold, assuming that someone could decide about it.
    private static func held(_ point: HoldPoint?, _ phase: RulePhase) -> [AppliedRule] {
        point.map { [$0.applied(in: phase)] } ?? []
    }

    /// The records of scripts that would be run, with an undecided outcome.
    private static func asked(_ points: [ScriptPoint], _ phase: RulePhase) -> [AppliedRule] {
        points.map { point in
            AppliedRule(
                rule: point.rule, phase: phase, outcome: "undecided",
                detail: "\(point.call.script) would be asked")
        }
    }

    /// The rules that would have matched, but come after one that stops or answers.
    private func notReached(
        in phase: RulePhase, _ subject: RuleSubject, _ applied: [AppliedRule], isAnswered: Bool
    ) -> [AppliedRule] {
        let hits = applied.filter { $0.phase == phase }.map(\.rule)
        let stopper = rules.rules.lastIndex {
            $0.isEnabled && $0.name == hits.last && ($0.stops || isAnswered)
        }
        guard let stopper else { return [] }
        let name = rules.rules[stopper].name
        let verb = isAnswered ? "answers" : "stops"
        return rules.rules[(stopper + 1)...].filter {
            $0.isEnabled && !$0.actions(in: phase).isEmpty
                && $0.filter.decision(subject) == .passes
        }.map {
            AppliedRule(rule: $0.name, phase: phase, outcome: "not reached: \(name) \(verb)")
        }
    }

    // MARK: Explaining

    /// The results of each test of a rule's filter.
    public func tests(of rule: Rule, for exchange: Exchange) -> [Test] {
        guard let message = RuleTrial.request(of: exchange) else { return [] }
        let connection = RuledConnection(exchange, message)
        var subject = RuleSubject(connection, message, .passing(exchange.request.body))
        if let response = exchange.response {
            let forwarded = ForwardedResponse(
                head: response.head, body: .exactly(UInt64(clamping: response.body.byteCount)))
            subject = RuleSubject(subject, forwarded, .passing(response.body))
        }
        return rule.filter.tests(of: subject).map { test in
            Test(
                name: test.look.name, column: test.look.column,
                holds: test.decision == .open ? nil : test.decision == .passes,
                value: test.value)
        }
    }

    private static func request(of exchange: Exchange) -> ForwardedRequest? {
        guard let head = exchange.request.head, let url = exchange.request.url else { return nil }
        let body = exchange.request.body
        let length: BodyLength =
            body.byteCount == 0 ? .none : .exactly(UInt64(clamping: body.byteCount))
        return ForwardedRequest(head: head, url: url, body: length)
    }
}

/// Does not count anything.
private final class Unlimited: RuleUsage {
    func claim(_ rule: Int) -> Bool { true }
}

extension RuledBody {
    /// A captured body; one that was not stored completely leaves its tests undecided.
    fileprivate static func passing(_ body: Body) -> RuledBody {
        guard body.isTruncated else { return .whole(body.kept) }
        let lost = body.byteCount - Int64(body.kept.count)
        return .passing(reason: "undecided: \(lost) bytes of the body were not kept")
    }
}

extension RuledConnection {
    fileprivate init(_ exchange: Exchange, _ message: ForwardedRequest) {
        self.init(
            client: exchange.client?.peerAddress ?? "", process: exchange.client?.process?.name,
            host: message.url.host, port: message.url.port, scheme: message.url.scheme,
            startedAtNs: exchange.timeline.wallStart)
        namedClient = exchange.client?.arrival?.proxyProtocolPeer
        listener = exchange.client?.arrival?.listener
        user = exchange.user
    }
}
