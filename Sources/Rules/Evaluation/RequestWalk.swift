internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request's evaluation by the rules, one after another.
struct RequestWalk {
    private let message: ForwardedRequest
    private let received: RuleSubject
    private let body: RuledBody
    private var editor: RequestEditor
    private var decision: RequestDecision
    /// How many rules, and actions of the current rule, have been evaluated.
    private var ruleCount = 0
    private var actionCount = 0
    /// What the current rule has done.
    private var outcomes: [RuleOutcome] = []

    init(_ message: ForwardedRequest, _ body: RuledBody, _ received: RuleSubject) {
        self.message = message
        self.received = received
        self.body = body
        editor = RequestEditor(message, body)
        decision = RequestDecision(message: message)
    }

    /// Whether a request has no body according to its framing.
    static func hasNoBody(_ message: ForwardedRequest) -> Bool {
        message.body == .none || message.body == .exactly(0)
    }

    /// Continues until a resource is needed or the decision is complete.
    mutating func advance(_ run: inout RuleRun) -> RequestStep {
        let candidates = run.candidates(in: .request)
        while decision.ending == nil, ruleCount < candidates.count {
            let rule = run.rules.rules[candidates[ruleCount]]
            if actionCount == 0, outcomes.isEmpty {
                switch judge(rule, candidates[ruleCount], &run) {
                case .wantsBody: return .wantsBody
                case .passedBy:
                    ruleCount += 1
                    continue
                case .matched: break
                }
            }
            if let step = act(rule, candidates[ruleCount]) { return step }
            finish(rule)
            if rule.stops { break }
        }
        return .decided(finished())
    }

    private mutating func judge(
        _ rule: Rule, _ position: Int, _ run: inout RuleRun
    ) -> RuleRun.Judgement {
        let subject =
            rule.view == .received
            ? received : RuleSubject(run.connection, editor.message, body)
        let needsBody =
            body.isComing
            && rule.actions(in: .request).contains { $0.needsBody(holds: run.isHoldingPossible) }
        return run.judge(
            position, in: .request, subject, body, needsBody: needsBody, &decision.notes)
    }

    /// Applies the actions of a rule; stops at an action that needs a file or a capture.
    private mutating func act(_ rule: Rule, _ position: Int) -> RequestStep? {
        let actions = rule.actions(in: .request)
        while decision.ending == nil, actionCount < actions.count {
            let action = actions[actionCount]
            if case .serve(let files) = action.verb { return .serve(files) }
            if case .mock(let mock) = action.verb {
                let place = MockPlace(rule: position, action: actionCount)
                let seen = rule.view == .received ? message : editor.message
                return .mock(MockCall(mock, at: place, seen, body))
            }
            actionCount += 1
            if action.isSecret { decision.notes.hasSecret = true }
            outcomes.append(apply(action.verb, of: rule))
        }
        return nil
    }

    private mutating func apply(_ verb: RuleVerb, of rule: Rule) -> RuleOutcome {
        switch verb {
        case .edit(let edit): return editor.apply(edit)
        case .preset(let preset): return editor.apply(preset)
        case .sendTo(let mapping): return editor.send(to: mapping)
        case .respond(let answer):
            decision.ending = .answer(answer)
            return .answered("status \(answer.status)")
        case .block(let block):
            decision.ending = .block(block)
            return .blocked(block.text)
        case .throttle(let network) where network.profile.isOffline:
            // No connection is made, and a proxy reports that to its client with a 502 response.
            decision.ending = .block(.status(502))
            return decision.notes.apply(verb, of: rule) ?? .unchanged
        case .hold(let hold):
            if decision.hold == nil { decision.hold = HoldPoint(rule: rule.name, hold: hold) }
            return .held
        case .run(let call):
            decision.scripts.append(ScriptPoint(rule: rule.name, call: call))
            return .asked
        case .delay, .throttle, .tag, .serve, .mock, .resolve, .via, .clientCertificate:
            return decision.notes.apply(verb, of: rule) ?? .unchanged
        }
    }

    /// Continues with the answer from a file.
    mutating func resume(_ answer: RuleAnswer?, in run: RuleRun) {
        guard let answer else { return goOn(.notDone("no such file, forwarded")) }
        end(.answer(answer), .answered("status \(answer.status)"), in: run)
    }

    /// Continues with the answer from captures.
    mutating func resume(_ served: MockServed, in run: RuleRun) {
        switch served {
        case .answer(let answer, let note): end(.answer(answer), .answered(note), in: run)
        case .closed(let note): end(.block(.close), .blocked(note), in: run)
        case .forwarded(let reason): goOn(.notDone(reason))
        }
    }

    /// Continues after the action that needed a resource.
    private mutating func goOn(_ outcome: RuleOutcome) {
        actionCount += 1
        outcomes.append(outcome)
    }

    /// Ends the request with the action that needed a resource.
    private mutating func end(
        _ ending: RequestDecision.Ending, _ outcome: RuleOutcome, in run: RuleRun
    ) {
        goOn(outcome)
        decision.ending = ending
        let candidates = run.candidates(in: .request)
        guard candidates.indices.contains(ruleCount) else { return }
        finish(run.rules.rules[candidates[ruleCount]])
    }

    private mutating func finish(_ rule: Rule) {
        decision.notes.note(rule, .request, outcomes)
        outcomes = []
        actionCount = 0
        ruleCount += 1
    }

    private func finished() -> RequestDecision {
        var decision = decision
        let edited = editor.finish()
        decision.message = edited.message
        decision.message.options.isSecret = decision.notes.hasSecret
        decision.body = edited.body
        return decision
    }
}
