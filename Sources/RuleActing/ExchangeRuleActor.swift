internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

/// Takes one exchange through the rules. Confined to its loop.
final class ExchangeRuleActor: ExchangeActor {
    private let run: RuleRun
    private let budget: ByteBudget
    private let files: FileServing
    private let sharer: LineSharer
    /// The network that the exchange goes over; nil for one that slows nothing down.
    private var network: RuleThrottle?
    private var throttled: ThrottlePace?
    /// The request as it came.
    private var request: ForwardedRequest?
    private var isOver = false

    init(_ run: RuleRun, budget: ByteBudget, files: FileServing, sharer: LineSharer) {
        self.sharer = sharer
        self.run = run
        self.budget = budget
        self.files = files
    }

    func exchangeEnded() {
        isOver = true
        throttled = nil
    }

    var pace: (any PaceActor)? { throttled }

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

    private var plan: BodyPlan {
        .whole(byteCountMax: RuledBody.byteCountMax, budget: budget)
    }

    // MARK: Request

    func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>
    ) {
        self.request = request
        let step = run.request(request, body: .coming)
        // A body in the place of none is put in where bodies are.
        if case .decided(let decided) = step, decided.body != nil {
            return decision.make(.pass(request, plan))
        }
        goOn(step, decision, wantsBody: .pass(request, plan)) { .pass($0.message, .stream) }
    }

    func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>
    ) {
        let step = run.request(request, body: body.map(RuledBody.whole) ?? .tooLarge)
        goOn(step, decision, wantsBody: .pass(request)) { .pass($0.message, body: $0.body) }
    }

    /// Does what a step asks for, until it is known what becomes of the request.
    private func goOn<Verdict: EndingVerdict>(
        _ step: RequestStep, _ decision: Decision<Verdict>, wantsBody: Verdict,
        pass: @escaping (RequestDecision) -> Verdict
    ) {
        switch step {
        case .wantsBody: decision.make(wantsBody)
        case .serve(let mapping):
            guard let request else { return decision.make(wantsBody) }
            files.answer(request, from: mapping, on: decision.loop) { [weak self] served in
                guard let self, !isOver else { return }
                goOn(run.resume(served), decision, wantsBody: wantsBody, pass: pass)
            }
        case .decided(let decided):
            decision.note(decided.notes)
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
    }

    /// Response rules act on answers of rules, too.
    private func judge<Verdict: EndingVerdict>(
        _ own: RuleAnswer, _ decision: Decision<Verdict>
    ) {
        let message = ForwardedResponse(head: own.head, body: .exactly(UInt64(own.body.count)))
        guard
            case .decided(let decided) = run.response(message, to: method, body: .whole(own.body))
        else { return decision.make(.answer(ExchangeAnswer(own))) }
        decision.note(decided.notes)
        after(decided.notes.delays, on: decision.loop) { [weak self] in
            guard let self, !isOver else { return }
            if let block = decided.block { return decision.end(block, decided.notes) }
            decision.make(.answer(ExchangeAnswer(decided, or: own.body)))
        }
    }

    // MARK: Response

    func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>
    ) {
        switch run.response(response, to: method, body: .coming) {
        case .wantsBody: decision.make(.pass(response, plan))
        // A body in the place of none is put in where bodies are.
        case .decided(let decided) where decided.body != nil && !decided.isAnswer:
            decision.make(.pass(response, plan))
        case .decided(let decided):
            finish(decided, decision) { .pass($0.message, .stream) }
        }
    }

    func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>
    ) {
        let body = body.map(RuledBody.whole) ?? .tooLarge
        guard case .decided(let decided) = run.response(response, to: method, body: body) else {
            return decision.make(.pass(response))
        }
        finish(decided, decision) { .pass($0.message, body: $0.body) }
    }

    private var method: HTTPMethod { request?.head.method ?? .get }

    private func finish<Verdict: EndingVerdict>(
        _ decided: ResponseDecision, _ decision: Decision<Verdict>,
        pass: @escaping (ResponseDecision) -> Verdict
    ) {
        decision.note(decided.notes)
        let byteCount = decided.message.head.octets.count
        wait(decided.notes, .down, byteCount: byteCount, on: decision.loop) { [weak self] in
            guard let self, !isOver else { return }
            if let block = decided.block {
                decision.end(block, decided.notes)
            } else if decided.isAnswer {
                decision.make(.answer(ExchangeAnswer(decided, or: [])))
            } else {
                decision.make(pass(decided))
            }
        }
    }
}
