internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

/// Applies the rules to one exchange. Confined to its loop.
///
/// ```
/// evaluate ─▶ file or capture ─▶ scripts ─▶ hold ─▶ delay, network ─▶ verdict
/// ```
final class ExchangeRuleActor: ExchangeActor {
    /// The evaluation of the exchange, up to the last message.
    var run: RuleRun
    let exchange: ExchangeID
    let services: RuleServices
    private let mocks: MockServers
    private var tally: RuleTally
    private var network: ExchangeNetwork
    private let hold: ExchangeHold
    private(set) var request: ForwardedRequest?
    private(set) var isOver = false
    /// The memory of its answer from a file or capture.
    private var answerShare: ByteShare?

    init(
        _ run: RuleRun, of exchange: ExchangeID, under activeRules: ActiveRules,
        _ services: RuleServices, _ network: ExchangeNetwork
    ) {
        self.run = run
        self.exchange = exchange
        self.services = services
        mocks = activeRules.mocks
        tally = RuleTally(activeRules)
        self.network = network
        hold = ExchangeHold(services.holdBroker)
    }

    func exchangeEnded() {
        isOver = true
        answerShare = nil
        network.end()
        hold.end()
    }

    var pace: (any PaceActor)? { network.pace }

    /// Evaluates a message, with a large body on another thread; `proceed` gets the result, unless
    /// the client leaves.
    private func evaluate<Step: Sendable>(
        _ body: RuledBody, on loop: EventLoop,
        _ evaluate: @escaping @Sendable (inout RuleRun) -> Step, _ proceed: @escaping (Step) -> Void
    ) {
        run.isHoldingPossible = hold.isPossible
        services.ruleWorkers.evaluate(run, body, on: loop, evaluate) { [weak self] run, step in
            guard let self, !isOver else { return }
            self.run = run
            proceed(step)
        }
    }

    /// Records and counts what the rules did, and continues after the delays of rules and the time
    /// that the head takes over a slow network.
    private func record<Verdict>(
        _ notes: PhaseNotes, _ decision: Decision<Verdict>, networkNs: Int64 = 0,
        _ proceed: @escaping () -> Void
    ) {
        decision.note(notes)
        tally.count(notes.applied)
        after(notes.delays, networkNs: networkNs, on: decision.loop) { [weak self] in
            guard let self, !isOver else { return }
            proceed()
        }
    }

    // MARK: Request

    func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        guard let body = RuledBody(body) else { return requestHead(request, decision) }
        evaluate(body, on: decision.loop) {
            $0.request(request, body: body)
        } _: { [weak self] in
            self?.proceed($0, decision, body: body, otherwise: .pass(request))
        }
    }

    private func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        self.request = request
        run.isHoldingPossible = hold.isPossible
        let step = run.request(request, body: .coming)
        let withBody = MessageVerdict.pass(request, services.plan)
        // A body for a request that has none can only be inserted in the body phase.
        if case .decided(let decided) = step, needsBodyPhase(decided, request) {
            return decision.make(withBody)
        }
        proceed(step, decision, body: .endless, otherwise: withBody)
    }

    /// Whether the decision can only be applied in the body phase: a body for a request that has
    /// none is inserted there, and a held request may get one.
    private func needsBodyPhase(_ decided: RequestDecision, _ request: ForwardedRequest) -> Bool {
        // The bytes after an extended CONNECT are not a body, and have no end.
        if request.head.isExtendedConnect { return false }
        if decided.body != nil { return true }
        if case .answer = decided.ending { return isOnItsWay(request) }
        let isHeld = decided.hold != nil && hold.isPossible
        return decided.ending == nil && (isHeld || decided.sendsBody)
    }

    /// Whether the client sends its body regardless of the response: it is read before the answer
    /// is sent, so that it is recorded and the connection can be kept.
    private func isOnItsWay(_ request: ForwardedRequest) -> Bool {
        request.body != .none && request.body != .exactly(0) && !request.head.expectsContinue
    }

    /// Does what a step asks for, until the request is decided.
    /// - Parameter otherwise: The verdict if the body is wanted.
    private func proceed(
        _ step: RequestStep, _ decision: Decision<MessageVerdict<ForwardedRequest>>,
        body: RuledBody, otherwise: MessageVerdict<ForwardedRequest>
    ) {
        /// Continues the evaluation with the requested resource.
        func resume(_ resume: @escaping @Sendable (inout RuleRun) -> RequestStep) {
            evaluate(body, on: decision.loop, resume) { [weak self] in
                self?.proceed($0, decision, body: body, otherwise: otherwise)
            }
        }
        switch step {
        case .wantsBody: decision.make(otherwise)
        case .serve(let mapping):
            guard let request else { return decision.make(otherwise) }
            services.files.answer(
                request, from: mapping, in: services.answerBudget, on: decision.loop
            ) { [weak self] served in
                self?.answerShare = served.share
                resume { $0.resume(served.answer) }
            }
        case .mock(let call):
            mocks.answer(call, in: services.answerBudget, on: decision.loop) { [weak self] reply in
                guard let self, !isOver else { return }
                guard let reply else { return decision.make(otherwise) }
                answerShare = reply.share
                after([], networkNs: network.beginNs(reply), on: decision.loop) {
                    resume { $0.resume(reply.served) }
                }
            }
        case .decided(let decided):
            consider(decided, body, decision) { [weak self] in self?.finish($0, decision) }
        }
    }

    private func finish(
        _ decided: RequestDecision, _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        let byteCount = decided.message.head.bytes.count
        let networkNs = network.headNs(decided.notes, .up, byteCount: byteCount)
        record(decided.notes, decision, networkNs: networkNs) { [weak self] in
            switch decided.ending {
            case nil: decision.make(.pass(decided.message, .of(decided.body)))
            case .block(let block)?: decision.end(block, decided.notes)
            case .answer(let own)?: self?.evaluateAnswer(own, decision)
            }
        }
    }

    /// Response rules also apply to the answers of rules.
    private func evaluateAnswer(
        _ own: RuleAnswer, _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        let message = ForwardedResponse(head: own.head, body: .exactly(UInt64(own.body.count)))
        let (body, method) = (RuledBody.whole(own.body), method)
        evaluate(body, on: decision.loop) {
            $0.response(message, to: method, body: body)
        } _: { [weak self] step in
            guard case .decided(let decided) = step else {
                return decision.make(.answer(ExchangeAnswer(own)))
            }
            self?.consider(decided, body, decision) { decided in
                self?.record(decided.notes, decision) {
                    if let block = decided.block { return decision.end(block, decided.notes) }
                    decision.make(.answer(ExchangeAnswer(decided, or: own)))
                }
            }
        }
    }

    // MARK: Response

    func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        guard let body = RuledBody(body) else { return responseHead(response, decision) }
        let method = method
        evaluate(body, on: decision.loop) {
            $0.response(response, to: method, body: body)
        } _: { [weak self] step in
            guard case .decided(let decided) = step else { return decision.make(.pass(response)) }
            self?.consider(decided, body, decision) { decided in
                self?.finish(decided, decision) { .of(decided.body) }
            }
        }
    }

    private func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        run.isHoldingPossible = hold.isPossible
        switch run.response(response, to: method, body: .coming) {
        case .wantsBody: decision.make(.pass(response, services.plan))
        case .decided(let decided) where needsBodyPhase(decided, response):
            decision.make(.pass(response, services.plan))
        case .decided(let decided):
            consider(decided, .endless, decision) { [weak self] decided in
                self?.finish(decided, decision) {
                    self?.plan(of: decided, on: decision.loop) ?? .stream
                }
            }
        }
    }

    /// How the body of a response that is not held is forwarded.
    private func plan(of decided: ResponseDecision, on loop: EventLoop) -> BodyPlan {
        guard let lines = decided.lines else { return .stream }
        return .edited(
            StreamingLineEditor(lines, ruleWorkers: services.ruleWorkers, on: loop) { [self] in
                tally.count($0)
            })
    }

    /// Whether the decision can only be applied in the body phase: a body for a response that has
    /// none is inserted there, and a held response may get one.
    private func needsBodyPhase(
        _ decided: ResponseDecision, _ response: ForwardedResponse
    ) -> Bool {
        if decided.isAnswer { return false }
        let isAwaited = decided.sendsBody || decided.hold != nil && hold.isPossible
        return decided.body != nil || isAwaited && !response.mayNeverEnd
    }

    private var method: HTTPMethod { request?.head.method ?? .get }

    private func finish(
        _ decided: ResponseDecision, _ decision: Decision<MessageVerdict<ForwardedResponse>>,
        plan: @escaping () -> BodyPlan
    ) {
        let byteCount = decided.message.head.bytes.count
        let networkNs = network.headNs(decided.notes, .down, byteCount: byteCount)
        record(decided.notes, decision, networkNs: networkNs) {
            if let block = decided.block {
                decision.end(block, decided.notes)
            } else if decided.isAnswer {
                decision.make(.answer(ExchangeAnswer(decided)))
            } else {
                decision.make(.pass(decided.message, plan()))
            }
        }
    }

    // MARK: Scripts and holds

    /// Runs a message's scripts one after another, then holds it if a rule asks for that.
    /// - Parameter proceed: Called with the final decision, unless the client leaves, or a person
    ///   decided otherwise.
    private func consider<Decided: MessageDecision, Verdict: EndingVerdict>(
        _ decided: Decided, _ body: RuledBody, _ decision: Decision<Verdict>,
        _ proceed: @escaping (Decided) -> Void
    ) {
        var decided = decided
        guard let request,
            let question = run.nextQuestion(&decided, body: body, to: request, of: exchange)
        else { return holdIfNeeded(decided, body, decision, proceed) }
        services.scripts.ask(question, on: decision.loop) { [weak self, decided] end in
            guard let self, !isOver else { return }
            var decided = decided
            run.settle(&decided, question, end)
            consider(decided, body, decision, proceed)
        }
    }

    private func holdIfNeeded<Decided: MessageDecision, Verdict: EndingVerdict>(
        _ decided: Decided, _ body: RuledBody, _ decision: Decision<Verdict>,
        _ proceed: @escaping (Decided) -> Void
    ) {
        guard let request, decided.hold != nil else { return proceed(decided) }
        guard let message = run.held(decided, body: body, to: request, of: exchange) else {
            var decided = decided
            if Decided.phase == .request { decided.note(.answered) }
            return proceed(decided)
        }
        hold.wait(for: message, decision) { [weak self] outcome in
            guard let self else { return }
            var decided = decided
            switch outcome {
            case .failure(let problem): decided.note(problem)
            case .success((let end, let time)):
                if case .changed(let content) = end.fate { decided.take(content, in: &run) }
                decided.note(end, at: time)
                if decision.end(end, decided.notes) { return }
            }
            proceed(decided)
        }
    }
}

extension BodyPlan {
    /// The body that rules gave, or the one that came.
    fileprivate static func of(_ body: [UInt8]?) -> BodyPlan { body.map(replaced) ?? .stream }
}

extension RuledBody {
    /// What the rules can see of a body that was awaited; nil if it may still be arriving.
    fileprivate init?(_ body: BodySnapshot) {
        switch body {
        case .coming: return nil
        case .whole(let bytes): self = .whole(bytes)
        case .tooLarge: self = .tooLarge
        }
    }
}

/// The held message of one exchange, about which people or scripts decide. Confined to its loop.
final class ExchangeHold {
    private let holdBroker: HoldBroker
    /// The current hold, and a closure that records that its client left.
    private var held: (id: HoldID, note: () -> Void)?

    /// How a hold ended, and when the message was held, on the monotonic clock.
    typealias Outcome = (end: HoldEnd, time: AppliedRule.Hold)

    init(_ holdBroker: HoldBroker) { self.holdBroker = holdBroker }

    /// Whether anyone can decide about held messages.
    var isPossible: Bool { holdBroker.isTaking }

    /// Holds a message; `proceed` is called with the outcome, unless the client leaves.
    func wait<Verdict: EndingVerdict>(
        for message: HeldMessage, _ decision: Decision<Verdict>,
        _ proceed: @escaping (Result<Outcome, NotHeld>) -> Void
    ) {
        let start = EventLoop.monotonicNow()
        func time() -> AppliedRule.Hold {
            AppliedRule.Hold(startNs: start, durationNs: EventLoop.monotonicNow() &- start)
        }
        do throws(NotHeld) {
            let id = try holdBroker.hold(message, on: decision.loop) { [weak self] end in
                guard let self, held != nil else { return }
                held = nil
                proceed(.success((end, time())))
            }
            held = (id, { decision.note(.appliedRule(message.leftByClient(time()))) })
        } catch {
            proceed(.failure(error))
        }
    }

    /// The client has left, or the exchange has ended.
    func end() {
        guard let held else { return }
        self.held = nil
        held.note()
        holdBroker.clientGone(held.id)
    }
}
