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

    /// What rules would have done to one exchange.
    public struct Outcome {
        /// What each rule would have done, in order. A rule that matches after another one has
        /// stopped the evaluation is listed as `not reached`.
        public fileprivate(set) var applied: [AppliedRule] = []
        /// The exchange as forwarded without rules, with what would have been forwarded instead in
        /// `sentHead` and `sentBody`. Heads are in the form of HTTP/1.
        public internal(set) var exchange: Exchange
        /// The server that the request would have been sent to, if it is not its own.
        public internal(set) var server: RawURL?
        /// How the client's connection would have ended instead of a response: `close`, `reset` or
        /// `hang`.
        public internal(set) var end: String?
        /// Whether the request would not have been sent, because a rule answers or blocks it.
        public internal(set) var isUnsent = false
    }

    /// What the rules would have done to an exchange, in order, as in `outcome`.
    public func results(for exchange: Exchange) -> [AppliedRule] {
        outcome(for: exchange).applied
    }

    /// What the rules would have done to an exchange, and to its messages.
    public func outcome(for exchange: Exchange) -> Outcome {
        var outcome = Outcome(exchange: exchange)
        guard let message = RuleTrial.request(of: exchange) else { return outcome }
        let connection = RuledConnection(exchange, message)
        var run = RuleRun(rules, connection, usage: Unlimited())
        let connected = run.connect()
        outcome.applied = connected.notes.applied
        outcome.applied += notReached(
            in: .connect, RuleSubject(connection), outcome.applied, isAnswered: false)
        if let block = connected.block {
            outcome.end(block, message.head.method)
            return outcome
        }
        let request = judged(message, exchange.request.body, &run)
        let subject = RuleSubject(connection, message, .passing(exchange.request.body))
        outcome.applied += results(of: request, subject)
        outcome.setRequest(message, request)
        switch request.ending {
        case .block(let block)?: outcome.end(block, message.head.method)
        case .answer(let answer)?:
            outcome.isUnsent = true
            let forwarded = ForwardedResponse(
                head: answer.head, body: .exactly(UInt64(answer.body.count)))
            let seen = Body(byteCount: Int64(answer.body.count), kept: answer.body)
            respond(forwarded, seen, subject, &run, &outcome)
        case nil:
            guard let response = exchange.response else { break }
            respond(RuleTrial.forwarded(response), response.body, subject, &run, &outcome)
        }
        return outcome
    }

    private func results(of request: RequestDecision, _ subject: RuleSubject) -> [AppliedRule] {
        var results = request.notes.applied
        if request.ending == nil {
            results += RuleTrial.asked(request.scripts, .request)
            results += RuleTrial.held(request.hold, .request)
        }
        return results
            + notReached(in: .request, subject, results, isAnswered: request.ending != nil)
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

    /// Evaluates a response, of the server or of a rule.
    private func respond(
        _ message: ForwardedResponse, _ body: Body, _ request: RuleSubject, _ run: inout RuleRun,
        _ outcome: inout Outcome
    ) {
        guard let method = outcome.exchange.request.method else { return }
        let whole = RuledBody.passing(body)
        // Of a body that was streamed, only the lines are edited.
        let flows = !outcome.isUnsent && message.head.fields.isEndless
        let step = run.response(message, to: method, body: flows ? .endless : whole)
        guard case .decided(let decision) = step else { return }
        let lines = RuleTrial.edited(decision.lines, whole)
        let results =
            decision.notes.applied + lines.applied
            + RuleTrial.asked(decision.scripts, .response)
            + RuleTrial.held(decision.hold, .response)
        outcome.applied += results
        outcome.applied += notReached(
            in: .response, RuleSubject(request, message, whole), results, isAnswered: false)
        outcome.setResponse(message, body, decision, lines: lines.output, to: method)
    }

    /// The outcomes of edits that are applied line by line.
    /// - Returns: Also the edited body; nil if no line is edited, or if that is undecided.
    private static func edited(
        _ lines: LineEditor?, _ body: RuledBody
    ) -> (applied: [AppliedRule], output: [UInt8]?) {
        guard var lines else { return ([], nil) }
        if let problem = body.unseen {
            let undecided = lines.applied.map {
                AppliedRule(rule: $0.rule, phase: $0.phase, outcome: problem.reason)
            }
            return (undecided, nil)
        }
        let bytes = body.bytes ?? []
        var output: [UInt8] = []
        lines.receive(bytes.span, into: &output)
        lines.finish(into: &output)
        return (lines.applied, output == bytes ? nil : output)
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
        let hits = Set(applied.lazy.filter { $0.phase == phase }.map(\.rule))
        let stopper = rules.rules.lastIndex {
            $0.isEnabled && hits.contains($0.name) && ($0.stops || isAnswered)
        }
        guard let stopper else { return [] }
        let name = rules.rules[stopper].name
        let verb = isAnswered ? "answers" : "stops"
        return rules.rules[(stopper + 1)...].filter {
            $0.isEnabled && $0.takesPart(in: phase) && $0.filter.decision(subject) == .passes
        }.map {
            AppliedRule(rule: $0.name, phase: phase, outcome: "not reached: \(name) \(verb)")
        }
    }

    // MARK: Explaining

    public func tests(of rule: Rule, for exchange: Exchange) -> [Test] {
        guard let subject = RuleTrial.subject(of: exchange) else { return [] }
        return rule.filter.tests(of: subject).map { test in
            Test(
                name: test.term.name, column: test.term.column,
                holds: test.decision == .open ? nil : test.decision == .passes, value: test.value)
        }
    }

    /// A whole exchange, in the form that filters examine.
    static func subject(of exchange: Exchange) -> RuleSubject? {
        guard let message = request(of: exchange) else { return nil }
        let connection = RuledConnection(exchange, message)
        let subject = RuleSubject(connection, message, .passing(exchange.request.body))
        guard let response = exchange.response else { return subject }
        return RuleSubject(subject, forwarded(response), .passing(response.body))
    }

    private static func forwarded(_ response: Response) -> ForwardedResponse {
        ForwardedResponse(
            head: response.head, body: .exactly(UInt64(clamping: response.body.byteCount)))
    }

    private static func request(of exchange: Exchange) -> ForwardedRequest? {
        guard let head = exchange.request.head, let url = exchange.request.url else { return nil }
        let body = exchange.request.body
        let length: BodyLength =
            body.byteCount == 0 ? .none : .exactly(UInt64(clamping: body.byteCount))
        return ForwardedRequest(head: head, url: url, body: length)
    }
}

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

/// What the messages of a tried exchange would have become. Both sides are written as HTTP/1, so
/// that they differ only in what rules change.
extension RuleTrial.Outcome {
    mutating func setRequest(_ message: ForwardedRequest, _ decision: RequestDecision) {
        guard decision.ending == nil else {
            isUnsent = true
            return
        }
        let sent = decision.message
        let (old, new) = (message.url, sent.url)
        if (old.scheme, old.authority) != (new.scheme, new.authority) { server = new }
        guard let came = RuleTrial.head(of: message), let went = RuleTrial.head(of: sent) else {
            return
        }
        exchange.request.head = came
        exchange.request.sentHead = came.bytes == went.bytes && decision.body == nil ? nil : went
        exchange.request.sentBody = decision.body.map { Body($0) }
    }

    /// - Parameter lines: The body with its lines edited; nil if it was not edited line by line.
    mutating func setResponse(
        _ message: ForwardedResponse, _ body: Body, _ decision: ResponseDecision, lines: [UInt8]?,
        to method: HTTPMethod
    ) {
        if let block = decision.block { return end(block, method) }
        guard let came = RuleTrial.head(of: message, to: method),
            let went = RuleTrial.head(of: decision.message, to: method)
        else { return }
        let edited = (decision.body ?? lines).map { Body($0) }
        if isUnsent {
            setAnswer(went, edited ?? body)
        } else {
            exchange.response?.head = came
            exchange.response?.sentHead = came.bytes == went.bytes && edited == nil ? nil : went
            exchange.response?.sentBody = edited
        }
    }

    /// Ends the exchange without an answer, or with a status alone.
    mutating func end(_ block: RuleBlock, _ method: HTTPMethod) {
        guard case .status(let status) = block else {
            end = block.text
            exchange.response = nil
            return
        }
        let answer = ForwardedResponse(head: RuleAnswer(status: status).head, body: .exactly(0))
        if let head = RuleTrial.head(of: answer, to: method) { setAnswer(head, Body()) }
    }

    /// Puts an answer in the place of the captured response.
    private mutating func setAnswer(_ head: ResponseHead, _ body: Body) {
        guard exchange.response != nil else {
            exchange.response = Response(head: head, body: body)
            return
        }
        exchange.response?.sentHead = head
        exchange.response?.sentBody = body
    }
}

extension RuleTrial {
    fileprivate static func head(of message: ForwardedRequest) -> RequestHead? {
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(message, into: &bytes)
        return try? HeadParser.parseRequestHead(bytes)
    }

    fileprivate static func head(
        of message: ForwardedResponse, to method: HTTPMethod
    ) -> ResponseHead? {
        var bytes: [UInt8] = []
        let recipient = HTTP1Recipient(version: .http11, requestMethod: method, isPersistent: true)
        HTTP1HeadWriter.write(message, to: recipient, into: &bytes)
        return try? HeadParser.parseResponseHead(bytes)
    }
}
