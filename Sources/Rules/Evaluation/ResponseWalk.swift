internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A response's evaluation by the rules, one after another.
struct ResponseWalk {
    private let received: RuleSubject
    private let body: RuledBody
    private var editor: ResponseEditor
    private var decision: ResponseDecision

    init(
        _ message: ForwardedResponse, _ method: HTTPMethod, _ body: RuledBody,
        _ received: RuleSubject
    ) {
        self.received = received
        self.body = body
        editor = ResponseEditor(message, to: method, body)
        decision = ResponseDecision(message: message)
    }

    /// What the head alone says about a body: that there is none, or that it may never end.
    static func knownBody(
        _ message: ForwardedResponse, to method: HTTPMethod, _ body: RuledBody
    ) -> RuledBody {
        if message.head.isBodiless(to: method) { return .whole([]) }
        return body.isComing && message.head.fields.isEndless ? .endless : body
    }

    mutating func advance(_ run: inout RuleRun, requestAsChanged: RuleSubject) -> ResponseStep {
        for position in run.candidates(in: .response) {
            let rule = run.rules.rules[position]
            let subject =
                rule.view == .received
                ? received : RuleSubject(requestAsChanged, editor.message, editor.body)
            let actions = rule.actions(in: .response)
            let needsBody =
                editor.body.isComing
                && actions.contains {
                    $0.needsBody(holds: run.isHoldingPossible) && editor.canDo($0)
                }
            switch run.judge(
                position, in: .response, subject, body, needsBody: needsBody, &decision.notes)
            {
            case .wantsBody: return .wantsBody
            case .passedBy: continue
            case .matched: break
            }
            decision.notes.note(rule, .response, actions.map { apply($0, of: rule) })
            if rule.stops || decision.block != nil { break }
        }
        let edited = editor.finish()
        decision.message = edited.message
        decision.message.options.isSecret = decision.notes.hasSecret
        decision.body = edited.body
        decision.lines = editor.lines
        return .decided(decision)
    }

    private mutating func apply(_ action: RuleAction, of rule: Rule) -> RuleOutcome {
        guard decision.block == nil else { return .unchanged }
        if action.isSecret { decision.notes.hasSecret = true }
        switch action.verb {
        case .edit(let edit): return editor.apply(edit, of: rule.name)
        case .preset(let preset): return editor.apply(preset)
        case .respond(let answer):
            decision.isAnswer = true
            editor.replace(with: answer)
            return .answered("status \(answer.status)")
        case .block(let block):
            decision.block = block
            return .blocked(block.text)
        case .hold(let hold):
            if decision.hold == nil { decision.hold = HoldPoint(rule: rule.name, hold: hold) }
            return .held
        case .run(let call):
            decision.scripts.append(ScriptPoint(rule: rule.name, call: call))
            return .asked
        case .delay, .throttle, .tag, .serve, .mock, .sendTo, .resolve, .via,
            .clientCertificate:
            return decision.notes.apply(action.verb, of: rule) ?? .unchanged
        }
    }
}
