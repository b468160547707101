internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

/// Takes one exchange through the rules. Confined to its loop.
final class ExchangeRuleActor: ExchangeActor {
    let run: RuleRun
    let exchange: ExchangeID
    let scripts: ScriptDesk
    private let desk: HoldDesk
    private let budget: ByteBudget
    private let files: FileServing
    private let sharer: LineSharer
    private var tally: RuleTally
    private let mocks: MockShelves
    /// The network that the exchange goes over; nil for one that slows nothing down.
    private var network: RuleThrottle?
    private var throttled: ThrottlePace?
    /// The pace of a capture that answers.
    private var recorded: RecordedPace?
    /// The request as it came.
    private(set) var request: ForwardedRequest?
    /// What is held; nil while nothing is. `note` records that its client has left.
    private var held: (id: HoldID, note: () -> Void)?
    private(set) var isOver = false

    init(
        _ run: RuleRun, exchange: ExchangeID, scripts: ScriptDesk, desk: HoldDesk,
        budget: ByteBudget, files: FileServing, sharer: LineSharer, mocks: MockShelves,
        tally: RuleTally
    ) {
        self.scripts = scripts
        self.mocks = mocks
        self.sharer = sharer
        self.tally = tally
        self.run = run
        self.exchange = exchange
        self.desk = desk
        self.budget = budget
        self.files = files
    }

    func exchangeEnded() {
        isOver = true
        throttled = nil
        recorded = nil
        guard let held else { return }
        self.held = nil
        held.note()
        desk.clientGone(held.id)
    }

    /// A network that a rule names counts for more than one that was.
    var pace: (any PaceActor)? { throttled ?? recorded }

    /// How long a head takes: delays of rules, and its way over a slow network.
    private func wait(
        _ notes: PhaseNotes, _ direction: ThrottleDirection, byteCount: Int, on loop: EventLoop,
        _ goOn: @escaping () -> Void
    ) {
        if let (rule, throttle) = notes.throttle {
            network = throttle
            throttled = sharer.pace(rule, throttle)
        }
        var networkNs = network?.profile.oneWayNs ?? 0
        if let rate = network?.profile.bytesPerSecond(direction), rate > 0 {
            networkNs += Int64(byteCount) * 1_000_000_000 / Int64(rate)
        }
        after(notes.delays, networkNs: networkNs, on: loop, goOn)
    }

    /// Records and counts what rules did.
    private func record<Verdict>(_ notes: PhaseNotes, _ decision: Decision<Verdict>) {
        decision.note(notes)
        tally.count(notes.applied)
    }

    private var plan: BodyPlan {
        .whole(byteCountMax: RuledBody.byteCountMax, budget: budget)
    }

    // MARK: Request

    func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>
    ) {
        self.request = request
        run.isHoldingPossible = desk.isTaking
        let step = run.request(request, body: .coming)
        // A body in the place of none is put in where bodies are.
        if case .decided(let decided) = step, needsBodyPhase(decided, request) {
            return decision.make(.pass(request, plan))
        }
        goOn(step, decision, body: .endless, wantsBody: .pass(request, plan)) {
            .pass($0.message, .stream)
        }
    }

    /// Whether what is decided can be done only where bodies are: a body in the place of none is
    /// put in there, and one that is held may get one.
    private func needsBodyPhase(_ decided: RequestDecision, _ request: ForwardedRequest) -> Bool {
        // What follows an extended CONNECT is no body, and has no end.
        if request.head.isExtendedConnect { return false }
        let isHeld = decided.hold != nil && decided.ending == nil && desk.isTaking
        let isSentToScript = decided.sendsBody && decided.ending == nil
        return decided.body != nil || isHeld || isSentToScript
    }

    func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>
    ) {
        let body = body.map(RuledBody.whole) ?? .tooLarge
        run.isHoldingPossible = desk.isTaking
        let step = run.request(request, body: body)
        goOn(step, decision, body: body, wantsBody: .pass(request)) {
            .pass($0.message, body: $0.body)
        }
    }

    /// Does what a step asks for, until it is known what becomes of the request.
    private func goOn<Verdict: EndingVerdict>(
        _ step: RequestStep, _ decision: Decision<Verdict>, body: RuledBody, wantsBody: Verdict,
        pass: @escaping (RequestDecision) -> Verdict
    ) {
        switch step {
        case .wantsBody: decision.make(wantsBody)
        case .serve(let mapping):
            guard let request else { return decision.make(wantsBody) }
            files.answer(request, from: mapping, on: decision.loop) { [weak self] served in
                guard let self, !isOver else { return }
                goOn(run.resume(served), decision, body: body, wantsBody: wantsBody, pass: pass)
            }
        case .mock(let call):
            mocks.answer(call, on: decision.loop) { [weak self] reply in
                guard let self, !isOver else { return }
                guard let reply else { return decision.make(wantsBody) }
                let waitNs = take(reply)
                after([], networkNs: waitNs, on: decision.loop) { [weak self] in
                    guard let self, !isOver else { return }
                    let step = run.resume(reply.served)
                    goOn(step, decision, body: body, wantsBody: wantsBody, pass: pass)
                }
            }
        case .decided(let decided):
            ask(decided, body, on: decision.loop) { [weak self] in
                self?.hold($0, body, decision, pass: pass)
            }
        }
    }

    /// Holds a request where a rule does, until it is known what becomes of it.
    private func hold<Verdict: EndingVerdict>(
        _ decided: RequestDecision, _ body: RuledBody, _ decision: Decision<Verdict>,
        pass: @escaping (RequestDecision) -> Verdict
    ) {
        guard decided.hold != nil else { return finish(decided, decision, pass: pass) }
        var decided = decided
        guard let message = run.held(decided, body: body, of: exchange) else {
            decided.note(.answered)
            return finish(decided, decision, pass: pass)
        }
        wait(for: message, decision) { [weak self, decided] outcome in
            guard let self else { return }
            var decided = decided
            switch outcome {
            case .failure(let problem): decided.note(problem)
            case .success(let end):
                if case .changed(let content) = end.fate {
                    decided = run.resume(decided, as: content)
                }
                decided.note(end)
                if decision.end(end, decided.notes) { return }
            }
            finish(decided, decision, pass: pass)
        }
    }

    private func finish<Verdict: EndingVerdict>(
        _ decided: RequestDecision, _ decision: Decision<Verdict>,
        pass: @escaping (RequestDecision) -> Verdict
    ) {
        record(decided.notes, decision)
        let byteCount = decided.message.head.octets.count
        wait(decided.notes, .up, byteCount: byteCount, on: decision.loop) { [weak self] in
            guard let self, !isOver else { return }
            switch decided.ending {
            case nil: decision.make(pass(decided))
            case .block(let block)?: decision.end(block, decided.notes)
            case .answer(let own)?: judge(own, decision)
            }
        }
    }

    /// Holds a message; `goOn` hears what came of it, unless the client leaves.
    private func wait<Verdict: EndingVerdict>(
        for message: HeldMessage, _ decision: Decision<Verdict>,
        _ goOn: @escaping (Result<HoldEnd, NotHeld>) -> Void
    ) {
        do throws(NotHeld) {
            let id = try desk.hold(message, on: decision.loop) { [weak self] end in
                guard let self, !isOver else { return }
                held = nil
                goOn(.success(end))
            }
            held = (id, { decision.note(.appliedRule(message.leftByClient)) })
        } catch {
            goOn(.failure(error))
        }
    }

    /// Goes at a capture's pace where it is asked for; how long it takes to begin.
    private func take(_ reply: MockShelf.Reply) -> Int64 {
        guard let timing = reply.timing, case .answer(let answer, _) = reply.served else {
            return 0
        }
        recorded = RecordedPace(durationNs: timing.bodyNs, byteCount: answer.body.count)
        return timing.firstByteNs
    }

    /// Response rules act on answers of rules, too.
    private func judge<Verdict: EndingVerdict>(
        _ own: RuleAnswer, _ decision: Decision<Verdict>
    ) {
        let message = ForwardedResponse(head: own.head, body: .exactly(UInt64(own.body.count)))
        guard
            case .decided(let decided) = run.response(message, to: method, body: .whole(own.body))
        else { return decision.make(.answer(ExchangeAnswer(own))) }
        consider(decided, .whole(own.body), decision) { [weak self] decided in
            self?.record(decided.notes, decision)
            after(decided.notes.delays, on: decision.loop) {
                guard let self, !self.isOver else { return }
                if let block = decided.block { return decision.end(block, decided.notes) }
                decision.make(.answer(ExchangeAnswer(decided, or: own)))
            }
        }
    }

    // MARK: Response

    func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>
    ) {
        run.isHoldingPossible = desk.isTaking
        switch run.response(response, to: method, body: .coming) {
        case .wantsBody: decision.make(.pass(response, plan))
        case .decided(let decided) where needsBodyPhase(decided, response):
            decision.make(.pass(response, plan))
        case .decided(let decided):
            consider(decided, .endless, decision) { [weak self] in
                self?.finish($0, decision) { .pass($0.message, .stream) }
            }
        }
    }

    /// Whether what is decided can be done only where bodies are: a body in the place of none is
    /// put in there, and one that is held may get one.
    private func needsBodyPhase(
        _ decided: ResponseDecision, _ response: ForwardedResponse
    ) -> Bool {
        if decided.isAnswer { return false }
        let isAwaited = decided.sendsBody || decided.hold != nil && desk.isTaking
        return decided.body != nil || isAwaited && !response.mayNeverEnd
    }

    func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>
    ) {
        let body = body.map(RuledBody.whole) ?? .tooLarge
        run.isHoldingPossible = desk.isTaking
        guard case .decided(let decided) = run.response(response, to: method, body: body) else {
            return decision.make(.pass(response))
        }
        consider(decided, body, decision) { [weak self] in
            self?.finish($0, decision) { .pass($0.message, body: $0.body) }
        }
    }

    /// Asks scripts about a response, and then holds it, where rules do.
    private func consider<Verdict: EndingVerdict>(
        _ decided: ResponseDecision, _ body: RuledBody, _ decision: Decision<Verdict>,
        goOn: @escaping (ResponseDecision) -> Void
    ) {
        ask(decided, body, on: decision.loop) { [weak self] in
            self?.hold($0, body, decision, goOn: goOn)
        }
    }

    /// Holds a response where a rule does, until it is known what becomes of it.
    private func hold<Verdict: EndingVerdict>(
        _ decided: ResponseDecision, _ body: RuledBody, _ decision: Decision<Verdict>,
        goOn: @escaping (ResponseDecision) -> Void
    ) {
        guard let request,
            let message = run.held(decided, body: body, to: request, of: exchange)
        else { return goOn(decided) }
        wait(for: message, decision) { outcome in
            var decided = decided
            switch outcome {
            case .failure(let problem): decided.note(problem)
            case .success(let end):
                if case .changed(let content) = end.fate { decided.become(content) }
                decided.note(end)
                if decision.end(end, decided.notes) { return }
            }
            goOn(decided)
        }
    }

    private var method: HTTPMethod { request?.head.method ?? .get }

    private func finish<Verdict: EndingVerdict>(
        _ decided: ResponseDecision, _ decision: Decision<Verdict>,
        pass: @escaping (ResponseDecision) -> Verdict
    ) {
        record(decided.notes, decision)
        let byteCount = decided.message.head.octets.count
        wait(decided.notes, .down, byteCount: byteCount, on: decision.loop) { [weak self] in
            guard let self, !isOver else { return }
            if let block = decided.block {
                decision.end(block, decided.notes)
            } else if decided.isAnswer {
                decision.make(.answer(ExchangeAnswer(decided)))
            } else {
                decision.make(pass(decided))
            }
        }
    }
}
